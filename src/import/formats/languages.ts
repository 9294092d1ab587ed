const WESTERN = 'de fr es pt it da nb sv fi is nl ca et sq ga fo'.split(' ')
const CENTRAL = 'pl cs sk hu hr sl ro sq de'.split(' ')
const BALTIC = 'lt lv et pl'.split(' ')
const CYRILLIC = 'ru uk bg sr mk be'.split(' ')
const EASTERN_CYRILLIC = 'ru uk bg'.split(' ')

/** Single-byte encodings, and the languages of texts in them (BCP 47). Of two that read a text in the same way, the first gives the name. */
export const SINGLE_BYTE: Readonly<Record<string, readonly string[]>> = {
  'windows-1252': WESTERN,
  'windows-1250': CENTRAL,
  'windows-1251': CYRILLIC,
  'windows-1253': ['el'],
  'windows-1254': ['tr', 'az', ...WESTERN],
  'windows-1255': ['he'],
  'windows-1256': ['ar', 'fa', 'ur'],
  'windows-1257': BALTIC,
  'windows-1258': ['vi'],
  'windows-874': ['th'],
  'iso-8859-2': CENTRAL,
  'iso-8859-5': CYRILLIC,
  'iso-8859-7': ['el'],
  'iso-8859-15': WESTERN,
  'koi8-r': EASTERN_CYRILLIC,
  'koi8-u': EASTERN_CYRILLIC,
  macintosh: WESTERN,
  maccenteuro: CENTRAL,
  maccyrillic: CYRILLIC,
  cp437: WESTERN,
  cp850: WESTERN,
  cp852: CENTRAL,
  cp866: EASTERN_CYRILLIC,
}

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
