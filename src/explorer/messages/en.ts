import { degrees, number } from '../shared/format.ts'

/*
 * The messages in English. The tables of the other languages have the same names (test/browser/messages.test.ts).
 */

/** `more` is `AT_LEAST`, or nothing. */
const places = (total: number, more = '') => `${number(total)}${more} ${total === 1 ? 'place' : 'places'}`

export const en = {
  // The bar
  pages: 'Pages',
  explorer: 'Explorer',
  reference: 'API reference',
  language: 'Language',
  skip: 'Skip to the results',
  apiKey: 'API key',
  useKey: 'Use key',
  keyInUse: 'Key in use',
  keyName: 'Name',
  keyExpires: 'Expires',
  keyTiers: 'Tiers',
  keyGrants: 'Granted datasets',
  keyRequestLimit: 'Requests per minute',
  keyItemLimit: 'Places per minute',
  keyRequests: 'Requests in 30 days',
  keyItems: 'Places in 30 days',
  noExpiry: 'does not expire',
  noLimit: 'no limit',
  none: 'none',
  forgetKey: 'Forget key',
  forgetKeyTitle: 'Removes the key from this tab',
  keyNote: 'Sent only to this server, in the header Authorization: Bearer. Kept until you close this tab.',
  keyForgotten: 'The key was removed from this tab.',
  keyMalformed: 'A key begins with dck_ and has no spaces.',
  keyUnknown: 'This key is unknown, expired or revoked.',
  keyHasOrigins: 'This key works only on the pages of its origins. Here, use a key without origins.',
  giveAnotherKey: (reason: string, contact: string | undefined) =>
    `${reason} Give another one.${contact === undefined ? '' : ` Whom to ask: ${contact}`}`,
  copy: 'Copy',
  copied: 'Copied',
  copyRefused: 'The browser did not allow copying',

  // Without a key
  welcome: 'Enter your API key to see places',
  welcomeText:
    'Datasets of places on a map: museums, airports, markets. Enter your API key above. It stays in this tab and is sent only to this server.',
  noKey: 'No key yet?',
  askFor: 'Ask for one: ',
  linkNeedsKey: 'This link shows places',
  linkNeedsKeyText:
    'Above, enter the API key that you were given for it. It stays in this tab and is sent only to this server.',
  askAnybody: 'Ask the person who sent you the link or runs this server.',
  startPrintedLink: 'The first start of this server has printed a link that opens the sample.',
  iOperate: 'I operate this server',
  operatorMakesOne: 'Create a key, and send it with the link (…#key=dck_...):',
  operatorOpensPage: 'Or show the public datasets to everybody, with a key that has no tiers and no granted datasets:',
  withoutPage: 'Other ways to read the data',
  aboutGraphiql: 'Datasets, items and images in one request.',
  aboutReference: 'REST, exports, tiles and OGC API, to read about and to try.',
  aboutOpenapi: 'The same in machine-readable form.',
  health: 'Health',
  aboutHealth: 'Whether this server is ready.',

  // Waiting and problems
  noConnection: 'No connection to the server. Trying again …',
  busy: 'The server is busy. Trying again …',
  limitReached: (seconds: number) => `The limit of this key for a minute is reached. Trying again in ${seconds} s …`,
  problem: 'This view can’t be shown',
  notFound: 'There is no such dataset or place.',
  denied: 'Your key does not give access to this dataset.',
  unreachable: 'The server does not answer. Is it running?',
  tryAgain: 'Try again',
  mapIncomplete: 'The map is not complete: a part of it could not be loaded.',
  baseMapFailed: (reason: string) => `The configured base map can't be loaded: ${reason}`,
  noMap: 'This browser can’t draw the map: it has no WebGL 2. Everything else works.',

  // The search
  side: 'Datasets and results',
  search: 'Search by name or keyword',
  searchArea: 'Places',
  searchIn: 'in',
  allDatasets: 'all datasets',
  visibleOnly: 'only what the map shows',
  suggestions: 'Suggested places',
  typeName: 'Type a part of a name.',
  textTooLong: (length: number, most: number) =>
    `The text has ${number(length)} characters. Shorten it to ${number(most)}.`,
  found: (total: number, text: string | undefined, isVisibleOnly: boolean, more = '') =>
    (total === 0 ? 'No places' : places(total, more)) +
    (text === undefined ? '' : ` with “${text}” in the name or keywords`) +
    (isVisibleOnly ? ' in the visible part of the map' : '') +
    (total === 0 ? '.' : ''),
  didYouMean: 'Did you mean',
  notUnderstood: (parts: string) => `This part of the link was not understood: ${parts}`,
  visiblePlaces: 'Visible places',

  // Datasets
  datasets: 'Datasets',
  datasetsTotal: (count: number, total: number) =>
    `${number(count)} ${count === 1 ? 'dataset' : 'datasets'}, ${places(total)}`,
  compare: 'Compare',
  compareHint: 'Choose two or more datasets.',
  compared: 'Comparison',
  noDatasets: 'This key gives access to no datasets. The operator of this server can change that.',

  // Lists of places
  backToDatasets: '← All datasets',
  allDatasetsTitle: 'All datasets',
  controls: 'Controls',
  filters: 'Filters',
  nearby: 'Nearby',
  download: 'Download',
  asTable: 'Table',
  asList: 'List',
  about: 'About',
  share: 'Share',
  embed: 'Embed',
  embedNote:
    'A map with these places for your site. Everybody can read the key in it: create one for your origin, and put it in place of dck_..., and its id in place of KEY_ID.',
  linkCopied: 'Link copied; it needs a key',
  publicLinkCopied: 'Link copied; it needs no key',
  places,
  byName: (total: number) => `${places(total)}, by name`,
  filtered: (total: number) => `${places(total)} with these filters`,
  within: (total: number, radius: string, isFiltered: boolean, more = '') =>
    `${places(total, more)}${isFiltered ? ' with these filters' : ''} within ${radius}, nearest first`,
  noMatch: 'No places match.',
  empty: 'This dataset has no places yet.',
  more: (rest: number) => `Show more (${number(rest)} left)`,
  andMore: (rest: number) => `and ${number(rest)} more`,
  narrow: (rest: number) => `${number(rest)} more: type to narrow the list`,
  any: 'any',
  removeFilter: 'Remove filter',

  // Nearby
  radius: 'Radius in metres',
  pickOnMap: 'Pick on the map',
  myLocation: 'My location',
  point: 'Coordinate or name of a place',
  pointExample: '37.58, 126.98 or a name',
  searchThere: 'Search there',
  typePoint: 'Type a coordinate such as 37.58, 126.98, or the name of a place.',
  noSuchPlace: (text: string) => `No place has a name like “${text}”.`,
  noneNear: (radius: string, nearest: string | undefined) =>
    `No places match within ${radius}${nearest === undefined ? '.' : `. The nearest is ${nearest} away:`}`,
  noneWithin: (radius: string) => `There is none within ${radius} either.`,
  farther: 'Show places farther away',
  searchWithin: (radius: string) => `Search within ${radius}`,
  around: (name: string) => `Around ${name}`,
  locating: 'Finding your location …',
  notLocated: 'Your location is not available. Allow it in the browser, or type a place.',
  pickPoint:
    'Click on the map to search around that point. With the keyboard, use the arrow keys to move the map, and Enter to search around its centre.',

  // Downloads
  downloadAll: 'Download all places:',
  downloadFiltered: 'Download all places with these filters:',
  aboutSize: (size: string) => `about ${size}`,
  downloading: (name: string) => `Downloading ${name} …`,
  downloaded: (name: string) => `Downloaded ${name}.`,
  notDownloaded: (name: string, reason: string) => `${name} is not complete: ${reason}`,

  // For developers
  developers: 'For developers',
  requestForm: 'Request format',
  copyTitle: 'The copied text contains your API key',
  openGraphiql: 'Open in GraphiQL',
  emptyMembers: (count: number) => `${number(count)} empty ${count === 1 ? 'member' : 'members'}`,
  json: 'All members as JSON',

  // A dataset
  backToPlaces: '← Places',
  placesLabel: 'Places',
  credit: 'Credit',
  licence: 'Licence',
  terms: 'Terms',
  publisher: 'Publisher',
  contact: 'Contact',
  source: 'Source',
  sourceDate: 'Date of the source',
  changes: 'Updates',
  access: 'Access',
  status: 'Status',
  firstLoaded: 'First loaded',
  lastChanged: 'Last changed',
  extent: 'Extent',
  north: (value: number) => `${degrees(value)}° ${value < 0 ? 'south' : 'north'}`,
  east: (value: number) => `${degrees(value)}° ${value < 0 ? 'west' : 'east'}`,
  range: (from: string, to: string) => `${from} to ${to}`,
  categories: 'Categories',
  areas: 'Areas',
  somePlaces: 'Some of its places',
  allPlaces: (total: number) => `All ${places(total)}`,

  // A place
  dataset: 'Dataset',
  category: 'Category',
  area: 'Area',
  keywords: 'Also known as',
  address: 'Address',
  roadAddress: 'Road address',
  lotAddress: 'Lot address',
  locality: 'Locality',
  postalCode: 'Postal code',
  openingHours: 'Opening hours',
  telephone: 'Telephone',
  email: 'E-mail',
  website: 'Website',
  coordinates: 'Coordinates',
  fromSource: 'From the source',
  partOf: 'Part of',
  parts: 'Parts',
  original: 'Original',
  noDescription: 'No description',
  noPictureAddress: 'The picture has no valid address.',
  pictureFailed: 'The picture can’t be loaded.',
  loadPicture: (host: string) => `Load picture from ${host}`,

  // The table
  table: 'Table of places',
  rows: 'Rows',
  columns: 'Columns',
  name: 'Name',
  distance: 'Distance',
  latitude: 'Latitude',
  longitude: 'Longitude',
  externalId: 'External ID',
  created: 'Created',
  changed: 'Changed',
  tablePages: 'Pages of the table',
  first: 'First',
  previous: 'Previous',
  next: 'Next',
  last: 'Last',
  page: (page: number, last: number) => `Page ${number(page)} of ${number(last)}`,
  widthOf: (column: string) => `Width of ${column}`,
  panelWidth: 'Width of the panel',

  // A map in a frame
  frameOnly: 'This map opens only in a frame, on the pages it was made for.',
  frameNeedsKey: 'The address of this frame has no API key. It must end with #key=dck_...',
  frameKeyRefused:
    'The key of this map does not work. It is unknown, expired or revoked, or the address has the id of another key.',
  close: 'Close',
  zoomWithKey: (key: string) => `Use ${key} + scroll to zoom the map`,
  moveWithTwoFingers: 'Use two fingers to move the map',

  // The map
  map: 'Map',
  mapArea: 'Map and legend',
  colours: 'Colours',
  others: 'others',
  mapCredit: (credit: string) => `Map: ${credit}`,
  credits: 'Credits',
  zoomIn: 'Zoom in',
  zoomOut: 'Zoom out',
  enterFullscreen: 'Enter fullscreen',
  exitFullscreen: 'Exit fullscreen',
  home: 'Show all places of this view',
  enterOpens: (name: string) => `${name}. Enter opens it.`,
  enterZooms: (name: string) => `${name}. Enter zooms in.`,
  enterLists: (name: string) => `${name}. Enter lists them.`,
  noPlace: 'No place under the cross. The arrow keys move the map, + and − zoom.',
}

export type Messages = typeof en
