import { degrees, number } from '../shared/format.ts'
import type { Messages } from './en.ts'

/*
 * The messages in German.
 */

const places = (total: number, more = '') => `${number(total)}${more} ${total === 1 ? 'Ort' : 'Orte'}`

export const de: Messages = {
  // Die Leiste
  pages: 'Seiten',
  explorer: 'Karte',
  reference: 'API-Referenz',
  language: 'Sprache',
  skip: 'Zu den Ergebnissen springen',
  apiKey: 'API-Schlüssel',
  useKey: 'Verwenden',
  keyInUse: 'Schlüssel aktiv',
  keyName: 'Name',
  keyExpires: 'Läuft ab',
  keyTiers: 'Stufen',
  keyGrants: 'Freigegebene Datensätze',
  keyRequestLimit: 'Anfragen pro Minute',
  keyItemLimit: 'Orte pro Minute',
  keyRequests: 'Anfragen in 30 Tagen',
  keyItems: 'Orte in 30 Tagen',
  noExpiry: 'läuft nicht ab',
  noLimit: 'unbegrenzt',
  none: 'keine',
  forgetKey: 'Entfernen',
  forgetKeyTitle: 'Entfernt den Schlüssel aus diesem Tab',
  keyNote:
    'Wird nur an diesen Server gesendet, im Header Authorization: Bearer. Bleibt gespeichert, bis Sie diesen Tab schließen.',
  keyForgotten: 'Der Schlüssel wurde entfernt.',
  keyMalformed: 'Ein Schlüssel beginnt mit dck_ und enthält keine Leerzeichen.',
  keyUnknown: 'Dieser Schlüssel ist unbekannt, abgelaufen oder widerrufen.',
  keyHasOrigins: 'Dieser Schlüssel gilt nur auf den Seiten seiner Origins. Hier brauchen Sie einen ohne Origins.',
  giveAnotherKey: (reason, contact) =>
    `${reason} Bitte geben Sie einen anderen ein.${contact === undefined ? '' : ` Kontakt: ${contact}`}`,
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyRefused: 'Der Browser hat das Kopieren nicht erlaubt',

  // Ohne Schlüssel
  welcome: 'API-Schlüssel eingeben und Orte ansehen',
  welcomeText:
    'Datensätze mit Orten auf einer Karte: Museen, Flughäfen, Märkte. Geben Sie oben Ihren API-Schlüssel ein. Er bleibt in diesem Tab und wird nur an diesen Server gesendet.',
  noKey: 'Noch kein Schlüssel?',
  askFor: 'Anfragen bei: ',
  linkNeedsKey: 'Dieser Link zeigt Orte',
  linkNeedsKeyText:
    'Geben Sie oben den API-Schlüssel ein, den Sie dafür erhalten haben. Er bleibt in diesem Tab und wird nur an diesen Server gesendet.',
  askAnybody: 'Fragen Sie die Person, die Ihnen den Link geschickt hat, oder den Betreiber dieses Servers.',
  iOperate: 'Ich betreibe diesen Server',
  operatorMakesOne: 'Erstellen Sie einen Schlüssel und senden Sie ihn mit dem Link (…#key=dck_...):',
  operatorOpensPage:
    'Oder machen Sie die öffentlichen Datensätze für alle sichtbar, mit einem Schlüssel ohne Stufen und ohne freigegebene Datensätze:',
  withoutPage: 'Andere Zugänge zu den Daten',
  aboutGraphiql: 'Datensätze, Orte und Bilder in einer Anfrage.',
  aboutReference: 'REST, Exporte, Kacheln und OGC zum Lesen und Ausprobieren.',
  aboutOpenapi: 'Dasselbe in maschinenlesbarer Form.',
  health: 'Zustand',
  aboutHealth: 'Zeigt, ob dieser Server bereit ist.',

  // Warten und Fehler
  noConnection: 'Keine Verbindung zum Server. Neuer Versuch läuft …',
  busy: 'Der Server ist ausgelastet. Neuer Versuch läuft …',
  limitReached: (seconds) => `Das Limit dieses Schlüssels pro Minute ist erreicht. Neuer Versuch in ${seconds} s …`,
  problem: 'Diese Ansicht kann nicht angezeigt werden',
  notFound: 'Diesen Datensatz oder Ort gibt es nicht.',
  denied: 'Ihr Schlüssel hat keinen Zugriff auf diesen Datensatz.',
  unreachable: 'Der Server antwortet nicht. Läuft er?',
  tryAgain: 'Erneut versuchen',
  mapIncomplete: 'Die Karte ist unvollständig: Ein Teil konnte nicht geladen werden.',
  baseMapFailed: (reason) => `Die konfigurierte Grundkarte kann nicht geladen werden: ${reason}`,
  noMap: 'Dieser Browser kann die Karte nicht darstellen: Ihm fehlt WebGL 2. Alles andere funktioniert.',

  // Die Suche
  side: 'Datensätze und Ergebnisse',
  search: 'Nach Name oder Stichwort suchen',
  searchArea: 'Orte',
  searchIn: 'in',
  allDatasets: 'allen Datensätzen',
  visibleOnly: 'nur im sichtbaren Kartenausschnitt',
  suggestions: 'Vorgeschlagene Orte',
  typeName: 'Geben Sie einen Teil eines Namens ein.',
  textTooLong: (length, most) => `Der Text hat ${number(length)} Zeichen. Kürzen Sie ihn auf ${number(most)}.`,
  found: (total, text, isVisibleOnly, more) =>
    (total === 0 ? 'Keine Orte' : places(total, more)) +
    (text === undefined ? '' : ` mit „${text}“ im Namen oder in den Stichwörtern`) +
    (isVisibleOnly ? ' im sichtbaren Kartenausschnitt' : '') +
    (total === 0 ? '.' : ''),
  didYouMean: 'Meinten Sie',
  notUnderstood: (parts) => `Dieser Teil des Links ist ungültig: ${parts}`,
  visiblePlaces: 'Sichtbare Orte',

  // Datensätze
  datasets: 'Datensätze',
  datasetsTotal: (count, total) => `${number(count)} ${count === 1 ? 'Datensatz' : 'Datensätze'}, ${places(total)}`,
  compare: 'Vergleichen',
  compareHint: 'Wählen Sie mindestens zwei Datensätze.',
  compared: 'Vergleich',
  noDatasets: 'Dieser Schlüssel hat auf keine Datensätze Zugriff. Der Betreiber dieses Servers kann das ändern.',

  // Listen von Orten
  backToDatasets: '← Alle Datensätze',
  allDatasetsTitle: 'Alle Datensätze',
  controls: 'Bedienelemente',
  filters: 'Filter',
  nearby: 'Umkreis',
  download: 'Download',
  asTable: 'Tabelle',
  asList: 'Liste',
  about: 'Info',
  share: 'Teilen',
  embed: 'Einbetten',
  embedNote:
    'Eine Karte mit diesen Orten für Ihre Website. Der Schlüssel darin ist für alle lesbar: Erstellen Sie einen für die Herkunft (Origin) Ihrer Website, und setzen Sie ihn anstelle von dck_... und seine ID anstelle von KEY_ID ein.',
  linkCopied: 'Link kopiert; Schlüssel nötig',
  publicLinkCopied: 'Link kopiert; kein Schlüssel nötig',
  places,
  byName: (total) => `${places(total)}, nach Namen`,
  filtered: (total) => `${places(total)} mit diesen Filtern`,
  within: (total, radius, isFiltered, more) =>
    `${places(total, more)}${isFiltered ? ' mit diesen Filtern' : ''} im Umkreis von ${radius}, die nächsten zuerst`,
  noMatch: 'Keine passenden Orte.',
  empty: 'Dieser Datensatz hat noch keine Orte.',
  more: (rest) => `Mehr anzeigen (noch ${number(rest)})`,
  andMore: (rest) => `und ${number(rest)} weitere`,
  narrow: (rest) => `${number(rest)} weitere: zum Eingrenzen tippen`,
  any: 'alle',
  removeFilter: 'Filter entfernen',

  // Umkreis
  radius: 'Umkreis in Metern',
  pickOnMap: 'Auf der Karte wählen',
  myLocation: 'Mein Standort',
  point: 'Koordinaten oder Name eines Ortes',
  pointExample: '37.58, 126.98 oder ein Name',
  searchThere: 'Dort suchen',
  typePoint: 'Geben Sie Koordinaten wie 37.58, 126.98 oder den Namen eines Ortes ein.',
  noSuchPlace: (text) => `Kein Ort hat einen Namen wie „${text}“.`,
  noneNear: (radius, nearest) =>
    `Keine passenden Orte im Umkreis von ${radius}.${nearest === undefined ? '' : ` Der nächste ist ${nearest} entfernt:`}`,
  noneWithin: (radius) => `Auch im Umkreis von ${radius} gibt es keinen.`,
  farther: 'Weiter entfernte Orte anzeigen',
  searchWithin: (radius) => `Im Umkreis von ${radius} suchen`,
  around: (name) => `Rund um ${name}`,
  locating: 'Ihr Standort wird ermittelt …',
  notLocated: 'Ihr Standort ist nicht verfügbar. Erlauben Sie den Zugriff im Browser, oder geben Sie einen Ort ein.',
  pickPoint:
    'Klicken Sie auf die Karte, um rund um diesen Punkt zu suchen. Mit der Tastatur: Die Pfeiltasten bewegen die Karte, die Eingabetaste sucht rund um ihre Mitte.',

  // Herunterladen
  downloadAll: 'Alle Orte herunterladen:',
  downloadFiltered: 'Alle Orte mit diesen Filtern herunterladen:',
  aboutSize: (size) => `etwa ${size}`,
  downloading: (name) => `${name} wird heruntergeladen …`,
  downloaded: (name) => `${name} ist heruntergeladen.`,
  notDownloaded: (name, reason) => `${name} ist unvollständig: ${reason}`,

  // Für Entwickler
  developers: 'Für Entwickler',
  requestForm: 'Format der Anfrage',
  copyTitle: 'Der kopierte Text enthält Ihren API-Schlüssel',
  openGraphiql: 'In GraphiQL öffnen',
  emptyMembers: (count) => `${number(count)} ${count === 1 ? 'leeres Feld' : 'leere Felder'}`,
  json: 'Alle Felder als JSON',

  // Ein Datensatz
  backToPlaces: '← Orte',
  placesLabel: 'Orte',
  credit: 'Quellenangabe',
  licence: 'Lizenz',
  terms: 'Nutzungsbedingungen',
  publisher: 'Herausgeber',
  contact: 'Kontakt',
  source: 'Quelle',
  sourceDate: 'Stand der Quelle',
  changes: 'Aktualisierung',
  access: 'Zugang',
  status: 'Status',
  firstLoaded: 'Erstmals geladen',
  lastChanged: 'Zuletzt geändert',
  extent: 'Ausdehnung',
  north: (value) => `${degrees(value)}° ${value < 0 ? 'Süd' : 'Nord'}`,
  east: (value) => `${degrees(value)}° ${value < 0 ? 'West' : 'Ost'}`,
  range: (from, to) => `${from} bis ${to}`,
  categories: 'Kategorien',
  areas: 'Gebiete',
  somePlaces: 'Einige der Orte',
  allPlaces: (total) => `Alle ${places(total)}`,

  // Ein Ort
  dataset: 'Datensatz',
  category: 'Kategorie',
  area: 'Gebiet',
  keywords: 'Auch bekannt als',
  address: 'Adresse',
  roadAddress: 'Straßenadresse',
  lotAddress: 'Flurstücksadresse',
  locality: 'Gemeinde',
  postalCode: 'Postleitzahl',
  openingHours: 'Öffnungszeiten',
  telephone: 'Telefon',
  email: 'E-Mail',
  website: 'Website',
  coordinates: 'Koordinaten',
  fromSource: 'Aus der Quelle',
  partOf: 'Teil von',
  parts: 'Teile',
  original: 'Original',
  noDescription: 'Keine Beschreibung',
  noPictureAddress: 'Das Bild hat keine gültige Adresse.',
  pictureFailed: 'Das Bild kann nicht geladen werden.',
  loadPicture: (host) => `Bild von ${host} laden`,

  // Die Tabelle
  table: 'Tabelle der Orte',
  rows: 'Zeilen',
  columns: 'Spalten',
  name: 'Name',
  distance: 'Entfernung',
  latitude: 'Breitengrad',
  longitude: 'Längengrad',
  externalId: 'Externe ID',
  created: 'Erstellt',
  changed: 'Geändert',
  tablePages: 'Seiten der Tabelle',
  first: 'Erste',
  previous: 'Zurück',
  next: 'Weiter',
  last: 'Letzte',
  page: (page, last) => `Seite ${number(page)} von ${number(last)}`,
  widthOf: (column) => `Breite von ${column}`,
  panelWidth: 'Breite der Leiste',

  // Eine Karte in einem Frame
  frameOnly: 'Diese Karte öffnet sich nur in einem Frame, auf den Seiten, für die sie bestimmt ist.',
  frameNeedsKey: 'Die Adresse dieses Frames hat keinen API-Schlüssel. Sie muss mit #key=dck_... enden.',
  frameKeyRefused:
    'Der Schlüssel dieser Karte funktioniert nicht. Er ist unbekannt, abgelaufen oder widerrufen, oder die Adresse hat die ID eines anderen Schlüssels.',
  close: 'Schließen',
  zoomWithKey: (key) => `Zum Vergrößern der Karte ${key} + Scrollen verwenden`,
  moveWithTwoFingers: 'Bewegen Sie die Karte mit zwei Fingern',

  // Die Karte
  map: 'Karte',
  mapArea: 'Karte und Legende',
  colours: 'Farben',
  others: 'andere',
  mapCredit: (credit) => `Karte: ${credit}`,
  credits: 'Quellen',
  zoomIn: 'Vergrößern',
  zoomOut: 'Verkleinern',
  enterFullscreen: 'Vollbild',
  exitFullscreen: 'Vollbild beenden',
  home: 'Alle Orte dieser Ansicht anzeigen',
  enterOpens: (name) => `${name}. Mit der Eingabetaste öffnen.`,
  enterZooms: (name) => `${name}. Mit der Eingabetaste vergrößern.`,
  enterLists: (name) => `${name}. Mit der Eingabetaste auflisten.`,
  noPlace: 'Kein Ort unter dem Kreuz. Die Pfeiltasten bewegen die Karte, + und − vergrößern und verkleinern sie.',
}
