import { degrees, number } from '../shared/format.ts'
import type { Messages } from './en.ts'

/*
 * The messages in German.
 */

const places = (total: number) => `${number(total)} ${total === 1 ? 'Ort' : 'Orte'}`

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
  forgetKey: 'Vergessen',
  forgetKeyTitle: 'Entfernt den Schlüssel aus diesem Tab',
  keyNote: 'Geht nur an diesen Server, im Header Authorization: Bearer. Bleibt, bis dieser Tab geschlossen wird.',
  keyForgotten: 'Der Schlüssel ist vergessen.',
  keyMalformed: 'Ein Schlüssel beginnt mit dck_ und enthält keine Leerzeichen.',
  keyUnknown: 'Dieser Schlüssel ist unbekannt, abgelaufen oder widerrufen.',
  giveAnotherKey: (contact) =>
    `Dieser Schlüssel ist unbekannt, abgelaufen oder widerrufen. Bitte einen anderen eingeben.${contact === undefined ? '' : ` Ansprechpartner: ${contact}`}`,
  copy: 'Kopieren',
  copied: 'Kopiert',
  copyRefused: 'Kopieren ist nicht erlaubt',

  // Ohne Schlüssel
  welcome: 'Sehen, was Ihr Schlüssel öffnet',
  welcomeText:
    'Datensätze mit Orten auf einer Karte: Museen, Flughäfen, Märkte. Geben Sie oben Ihren API-Schlüssel ein. Er bleibt in diesem Tab und geht nur an diesen Server.',
  noKey: 'Noch kein Schlüssel?',
  askFor: 'Hier anfragen: ',
  operatorMakesOne: 'Der Betreiber dieses Servers erstellt einen:',
  withoutPage: 'Ohne diese Seite',
  aboutGraphiql: 'Datensätze, Orte und Bilder in einer Anfrage.',
  aboutReference: 'REST, Exporte, Kacheln und OGC zum Lesen und Ausprobieren.',
  aboutOpenapi: 'Dasselbe für Ihre Werkzeuge.',
  health: 'Zustand',
  aboutHealth: 'Ob dieser Server antworten kann.',

  // Warten und Fehler
  noConnection: 'Keine Verbindung zum Server. Neuer Versuch läuft …',
  busy: 'Der Server ist ausgelastet. Neuer Versuch läuft …',
  problem: 'Diese Ansicht kann nicht gezeigt werden',
  notFound: 'Diesen Datensatz oder Ort gibt es nicht.',
  denied: 'Ihr Schlüssel darf diesen Datensatz nicht sehen.',
  unreachable: 'Der Server antwortet nicht. Läuft er?',
  tryAgain: 'Noch einmal versuchen',
  mapIncomplete: 'Die Karte ist unvollständig: Ein Teil konnte nicht geladen werden.',
  baseMapFailed: (reason) => `Die eingestellte Grundkarte kann nicht geladen werden: ${reason}`,
  noMap: 'Dieser Browser kann die Karte nicht zeichnen: Ihm fehlt WebGL 2. Alles andere funktioniert.',

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
  found: (total, text, isVisibleOnly) =>
    (total === 0 ? 'Keine Orte' : places(total)) +
    (text === undefined ? '' : ` mit „${text}“ im Namen oder in den Stichwörtern`) +
    (isVisibleOnly ? ' im sichtbaren Kartenausschnitt' : '') +
    (total === 0 ? '.' : ''),
  didYouMean: 'Meinten Sie',
  visiblePlaces: 'Sichtbare Orte',

  // Datensätze
  datasets: 'Datensätze',
  datasetsTotal: (count, total) => `${number(count)} ${count === 1 ? 'Datensatz' : 'Datensätze'}, ${places(total)}`,
  noDatasets: 'Dieser Schlüssel öffnet keine Datensätze. Sein Betreiber kann welche freigeben.',

  // Listen von Orten
  backToDatasets: '← Alle Datensätze',
  allDatasetsTitle: 'Alle Datensätze',
  controls: 'Bedienelemente',
  filters: 'Filter',
  nearby: 'Umkreis',
  download: 'Laden',
  asTable: 'Tabelle',
  asList: 'Liste',
  about: 'Info',
  share: 'Teilen',
  linkCopied: 'Link kopiert',
  places,
  byName: (total) => `${places(total)}, nach Namen`,
  filtered: (total) => `${places(total)} mit diesen Filtern`,
  within: (total, radius, isFiltered) =>
    `${places(total)}${isFiltered ? ' mit diesen Filtern' : ''} im Umkreis von ${radius}, die nächsten zuerst`,
  noMatch: 'Keine passenden Orte.',
  empty: 'Dieser Datensatz hat noch keine Orte.',
  more: (rest) => `Mehr zeigen (noch ${number(rest)})`,
  andMore: (rest) => `und ${number(rest)} weitere`,
  narrow: (rest) => `${number(rest)} weitere: tippen grenzt ein`,
  any: 'alle',
  clearFilters: 'Filter aufheben',

  // Umkreis
  radius: 'Umkreis',
  metresOf: 'm um',
  pointOnMap: 'Punkt auf der Karte',
  here: 'meinen Standort',
  clear: 'Aufheben',
  point: 'Koordinate oder Name eines Ortes',
  pointExample: '37.58, 126.98 oder ein Name',
  searchThere: 'Dort suchen',
  typePoint: 'Geben Sie eine Koordinate wie 37.58, 126.98 oder den Namen eines Ortes ein.',
  noSuchPlace: (text) => `Kein Ort heißt so ähnlich wie „${text}“.`,
  around: (name) => `Rund um ${name}`,
  locating: 'Ihr Gerät wird nach dem Standort gefragt …',
  notLocated: (reason) => `Ihr Gerät nennt keinen Standort. ${reason}`,
  pickPoint:
    'Klicken Sie auf die Karte, um rund um diesen Punkt zu suchen. Mit der Tastatur bewegen die Pfeiltasten die Karte, die Eingabetaste nimmt ihre Mitte.',

  // Laden
  downloadAll: 'Alle Orte herunterladen:',
  downloadFiltered: 'Alle Orte mit diesen Filtern herunterladen:',
  aboutSize: (size) => `etwa ${size}`,
  downloading: (name) => `${name} wird geladen …`,
  downloaded: (name) => `${name} ist vollständig.`,
  notDownloaded: (name, reason) => `${name} ist unvollständig: ${reason}`,

  // Für Entwickler
  developers: 'Für Entwickler',
  requestForm: 'Form der Anfrage',
  copyTitle: 'Der kopierte Text enthält Ihren API-Schlüssel',
  openGraphiql: 'In GraphiQL öffnen',
  emptyMembers: (count) => `${number(count)} ${count === 1 ? 'leeres Feld' : 'leere Felder'}`,
  json: 'Alle Felder als JSON',

  // Ein Datensatz
  backToPlaces: '← Orte',
  placesLabel: 'Orte',
  credit: 'Quellenangabe',
  licence: 'Lizenz',
  terms: 'Bedingungen',
  publisher: 'Herausgeber',
  contact: 'Kontakt',
  source: 'Quelle',
  sourceDate: 'Stand der Quelle',
  changes: 'Aktualisierung',
  access: 'Zugang',
  status: 'Status',
  firstLoaded: 'Zuerst geladen',
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
  noDescription: 'Ohne Beschreibung',
  noPictureAddress: 'Das Bild hat keine Adresse, die gezeigt werden kann.',
  pictureFailed: 'Das Bild kann nicht geladen werden.',
  loadPicture: (host) => `Bild von ${host} laden`,

  // Die Tabelle
  table: 'Tabelle der Orte',
  rows: 'Zeilen',
  columns: 'Spalten',
  name: 'Name',
  distance: 'Entfernung',
  latitude: 'Breite',
  longitude: 'Länge',
  externalId: 'Externe Kennung',
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

  // Die Karte
  map: 'Karte',
  mapArea: 'Karte und Legende',
  colours: 'Farben',
  others: 'andere',
  credits: 'Quellen',
  zoomIn: 'Vergrößern',
  zoomOut: 'Verkleinern',
  enterFullscreen: 'Vollbild',
  exitFullscreen: 'Vollbild beenden',
  home: 'Alle Orte dieser Ansicht zeigen',
  enterOpens: (name) => `${name}. Die Eingabetaste öffnet.`,
  enterZooms: (name) => `${name}. Die Eingabetaste vergrößert.`,
  enterLists: (name) => `${name}. Die Eingabetaste listet sie auf.`,
  noPlace: 'Kein Ort unter dem Kreuz. Die Pfeiltasten bewegen die Karte, + und − ändern den Maßstab.',
}
