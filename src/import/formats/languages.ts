/** An old encoding, and the letters beyond ASCII that texts in it have: those of a language in each element, the frequent first. */
export interface EncodingLetters {
  encoding: string
  languages: readonly string[]
}

const WESTERN = [
  'éèàçêôâîûùëïœæÿ', // French
  'äüößé', // German
  'óíáéñúü', // Spanish
  'ãçáéíóêõâúàô', // Portuguese
  'àèòéùì', // Italian
  'åäöøæé', // Danish, Norwegian, Swedish, Finnish
  'áíðéóöúæþý', // Icelandic
]
const CENTRAL = [
  'ąęłóśżćńź', // Polish
  'íáéěýčžřšůúňťóďľôäĺŕ', // Czech, Slovak
  'áéőöíóűúü', // Hungarian
  'čšžćđ', // Croatian, Slovenian
  'ăîâşţ', // Romanian
  'äüöß',
]
const BALTIC = ['ėšžųįąūčę', 'āīēšņļūžčģķ', 'äõüöšž', 'ąęłóśżćńź']
const TURKISH = ['ıüşğçöİâî']
const CYRILLIC = [
  'оеаинтсрвлкмдпуяызьбгчйхжшюцщэфъё',
  'іїєґоаинтервслкдпумзяьйхцюшщфбгжч',
  'јљњћђаоиенрстукдмзлпвгбчшцжхфџ',
]
const GREEK = ['αοιετσνηυρπκμλςίόάέύήώωγδθχφβξζψϊ']
const HEBREW = ['יוהלאמרתבשנקםדחעפגטןכצזסךףץ']
const ARABIC = ['الينمروتبةعدسفهكقحجشطصخذضغزئءىأإآثظؤپچژگیک']
const THAI = ['านรกอเงยลมวดทสะตคปหพบชขจใไแ่้็์ิีัุูโศษธณภถซฐฟผฝญฎฏฑฒฬฮฉำึืๆฯ๊๋']
const VIETNAMESE = ['\u0300\u0301\u0323\u0309\u0303đươêôâă']

/** Single-byte encodings. Of two that read a text in the same way, the first gives the name. */
export const SINGLE_BYTE: readonly EncodingLetters[] = [
  { encoding: 'windows-1252', languages: WESTERN },
  { encoding: 'windows-1250', languages: CENTRAL },
  { encoding: 'windows-1251', languages: CYRILLIC },
  { encoding: 'windows-1253', languages: GREEK },
  { encoding: 'windows-1254', languages: [...TURKISH, ...WESTERN] },
  { encoding: 'windows-1255', languages: HEBREW },
  { encoding: 'windows-1256', languages: ARABIC },
  { encoding: 'windows-1257', languages: BALTIC },
  { encoding: 'windows-1258', languages: VIETNAMESE },
  { encoding: 'windows-874', languages: THAI },
  { encoding: 'iso-8859-2', languages: CENTRAL },
  { encoding: 'iso-8859-5', languages: CYRILLIC },
  { encoding: 'iso-8859-7', languages: GREEK },
  { encoding: 'iso-8859-15', languages: WESTERN },
  { encoding: 'koi8-r', languages: CYRILLIC },
  { encoding: 'koi8-u', languages: CYRILLIC },
  { encoding: 'macintosh', languages: WESTERN },
  { encoding: 'maccenteuro', languages: CENTRAL },
  { encoding: 'maccyrillic', languages: CYRILLIC },
  { encoding: 'cp437', languages: WESTERN },
  { encoding: 'cp850', languages: WESTERN },
  { encoding: 'cp852', languages: CENTRAL },
  { encoding: 'cp866', languages: CYRILLIC },
]

/** Encodings of East Asia, and where their frequent characters are. */
export const EAST_ASIAN: readonly { encoding: string; common: (lead: number, trail: number) => boolean }[] = [
  { encoding: 'cp949', common: (lead, trail) => lead >= 0xb0 && lead <= 0xc8 && trail >= 0xa1 },
  { encoding: 'shift_jis', common: (lead, trail) => trail > 0 && lead >= 0x82 && lead <= 0x97 },
  // The first one is the sign of a long vowel.
  {
    encoding: 'euc-jp',
    common: (lead, trail) =>
      (lead === 0xa1 && trail === 0xbc) || lead === 0xa4 || lead === 0xa5 || (lead >= 0xb0 && lead <= 0xcf),
  },
  { encoding: 'gb18030', common: (lead, trail) => lead >= 0xb0 && lead <= 0xd7 && trail >= 0xa1 },
  { encoding: 'big5', common: (lead) => lead >= 0xa4 && lead <= 0xc6 },
]
