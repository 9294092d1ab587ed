/** Columns of countries. A code of an area may mean one place in each country. */
export const COUNTRY_NAME =
  /^(country|countrycode|isocountry|addrcountry|countryname|countrylabel|countryiso[23]?|iso|iso[23]|cc|nation|land|staat|pays|país|pais|paese|kraj|országkód|ország|国家|國家|国|국가|국가명|국가코드)$/

/**
 * Names of an angle as most files write them: `lat`, `stop_lat` (GTFS), `@lat` (Overpass), `INTPTLAT` (US Census), `decimalLatitude` (Darwin
 * Core), `latitude_deg`.
 */
const angleName = ({ source }: RegExp) =>
  new RegExp(
    `^@?(geo|gps|map|wgs84|stop|station|site|venue|place|poi|loc|location|start|center|centroid|intpt|dwc|schema|x|y)?(${source})(deg|degrees?|dd|dec|decimal|wgs84|4326|gps|x|y)?$`,
  )

/** Columns with both coordinates, as WKT or as a pair. */
const GEOMETRY_NAME =
  /^(wkt|thegeom|geom|geometry|point|geopoint|location|coordinates|coords|coordinate|position|latlong|latlng|latlon|lonlat)$/

/**
 * Usual names of a field in data files, in the languages of the people who publish them, after `normalizeName`. An earlier pattern is a
 * better guess.
 */
export const NAMES: Readonly<Record<string, readonly RegExp[]>> = {
  latitude: [
    angleName(/lat|latitude|decimallatitude/),
    /^(geo|geographische)?(breite|breitengrad)(wgs84)?$/,
    /^(latitud|latitudine|breddegrad|breddgrad|breedtegraad|szerokość(geograficzna)?|szerokosc|широта|enlem)$/,
    /^(위도|緯度|纬度)(wgs84|도)?$/,
    /^(wgs84)?(y|ycoord|coordy|pointy|y좌표)(wgs84)?$/,
    GEOMETRY_NAME,
  ],
  longitude: [
    angleName(/lon|lng|long|longitude|decimallongitude/),
    /^(geo|geographische)?(länge|laenge|längengrad|laengengrad)(wgs84)?$/,
    /^(longitud|longitudine|lengdegrad|længdegrad|lengtegraad|długość(geograficzna)?|dlugosc|долгота|boylam)$/,
    /^(경도|経度|经度|經度)(wgs84|도)?$/,
    /^(wgs84)?(x|xcoord|coordx|pointx|x좌표)(wgs84)?$/,
    GEOMETRY_NAME,
  ],
  name: [
    /^(name|title|label|이름|명칭|bezeichnung|titel|nom|nombre|nome|naam|nazwa|namn|navn|название|наименование|名称|名稱|名前)$/,
    /^(시설|관광지|축제|업소|장소|문화재|공원|시장|도서관|사업장|상호)명$/,
    /^(施設名|施設名称|店名|地名|場所)$/,
    /^(einrichtung|objekt|objektname|standort|standortname|ortsname|nomequipement|denominacion|denominación|denominazione)$/,
    /^(?!.*기관).*명칭?$/,
    /^(item|place|site|station|stop)(label|title)$/,
    /^(?!user|file|last|first|country|region|state|county|province|district|city|town|street|road|category|type|class|operator|owner|agency|zone)[a-z]+name$/,
  ],
  administrativeAreaCode: [
    /^(행정구역코드|행정동코드|법정동코드|시군구코드|지역코드|市区町村コード|全国地方公共団体コード|行政区划代码)$/,
    /^(ags|gemeindeschlüssel|gemeindekennziffer|kreisschlüssel|codeinsee|insee|codecommune|codgeo|codigomunicipio)$/,
    /^(adminarea|region|isoregion|admin1|admin1code|state|province|stateprovince|addrstate|addrprovince|(region|state|province|area|district)code|제공기관코드)$/,
    /^(bundesland|kanton|département|departement|provincia|regione|comunidad|시도|시도명|都道府県|都道府県名|省|省份)$/,
    COUNTRY_NAME,
  ],
  categoryCode: [
    /^(category|categorycode|categories|type|kind|class|featurecode|fclass|(place|poi|station|site|stop)type|instanceoflabel)$/,
    /^(amenity|tourism|historic|leisure|shop|featureclass)$/,
    /^(kategorie|art|typ|gattung|catégorie|categorie|categoría|categoria|tipo|種別|種類|类别|類別|类型)$/,
    /(구분|유형|분류|종류|업종)(명|코드)?$/,
  ],
  description: [
    /^(description|summary|abstract|about|desc|(stop|item|short)desc(ription)?|설명|beschreibung|descripción|descripcion|descrizione|opis|説明|概要|描述|简介)$/,
    /(소개|개요|내용)$/,
  ],
  streetAddress: [
    /^(address|streetaddress|street|addr|(address|addr)(line)?1|fulladdress|formattedaddress|addrfull|addrstreet|주소|住所|地址|адрес)$/,
    /^(adresse|anschrift|straße|strasse|dirección|direccion|indirizzo|endereço|endereco|adres|adress|所在地)$/,
    /도로명주소$/,
    /주소$/,
  ],
  addressLocality: [
    /^(addr|address)?(city|cityname|town|village|municipality|locality|addresslocality)$/,
    /^(ort|stadt|gemeinde|ville|commune|ciudad|municipio|localidad|comune|miasto|市区町村|市区町村名|城市)$/,
  ],
  addressRegion: [/^(regionname|statename|provincename|county|countyname|addresscounty|addressregion)$/],
  parentExternalId: [/^(parentstation|parentid|parent)$/],
  roadAddress: [/도로명주소$/],
  jibunAddress: [/지번주소$/],
  postalCode: [
    /^(addr|address)?(postalcode|postcode|postal|zip|zipcode)$/,
    /^(우편번호|plz|postleitzahl|codepostal|códigopostal|codigopostal|郵便番号|邮编|邮政编码)$/,
  ],
  telephone: [
    /^(contact)?(phone|tel|telephone|phonenumber|phoneno|mobile)$/,
    /^(전화번호|전화|연락처|telefon|telefonnummer|téléphone|teléfono|telefono|電話番号|電話|电话)$/,
    /전화번호$/,
  ],
  email: [/^(contact)?(email|mail|emailaddress)$/, /^(이메일|emailadresse|courriel|correo|correoelectronico)$/],
  url: [
    /^(contact|stop|official)?(url|website|websiteurl|homepage|web)$/,
    /^(link|homelink|webseite|internet|siteweb|sitioweb|ホームページ|网址)$/,
    /(홈페이지|홈페이지주소)$/,
  ],
  contactName: [
    /^(contact|contactname|operator|운영기관명|ansprechpartner|betreiber|träger)$/,
    /(주관|관리|운영)기관명?$/,
  ],
  keywords: [/^(keywords|tags|alternatenames?|alternativenames?|altnames?|othernames?|aliases|synonyms)$/],
  openingHours: [
    /^(openinghours|hours|운영시간|이용시간|영업시간|öffnungszeiten|oeffnungszeiten|horaires|horario|営業時間)$/,
  ],
}

/** Names of columns with metres to the north and to the east. */
export const PROJECTED_NAMES: Readonly<Record<'latitude' | 'longitude', RegExp>> = {
  latitude:
    /^(n$|hochwert|nordwert|northing|north|nord|norte|y|(y|utm|gk)(koordinate|coord|coordinate|좌표|m|utm|gk)|utmy|utmn|utmnorth|northings|pointy|좌표정보y|좌표y|y坐标|y座標|coordy|coordonneey)/,
  longitude:
    /^(e$|rechtswert|ostwert|easting|east|ost|este|x|(x|utm|gk)(koordinate|coord|coordinate|좌표|m|utm|gk)|utmx|utme|utmeast|eastings|pointx|좌표정보x|좌표x|x坐标|x座標|coordx|coordonneex)/,
}

/** Names of columns that identify a row. */
export const ID_NAMES = [
  /^@?(id|externalid|uid|uuid|code|stopid|stopcode|siteid|placeid|osmid|identifier|item|qid|wikidata|ident|geonameid|관리번호|고유번호|일련번호|nr|nummer|lfdnr|objektid|objectid|fid|gid|identifiant|identificador|番号|编号)$/,
  /(관리번호|고유번호|id)$/,
]

/** Whether a pattern matches the name of a column, or the last part of a name such as `addr.street`. */
export function matches(pattern: RegExp, column: string): boolean {
  return pattern.test(normalizeName(column)) || pattern.test(normalizeName(column.slice(column.lastIndexOf('.') + 1)))
}

/** Whether a column has a name of an angle, such as `lat`. `x` and `y` may be angles or metres, in any order. */
export function isAngleName(column: string): boolean {
  const patterns = [...(NAMES.latitude ?? []), ...(NAMES.longitude ?? [])]
  return patterns.some((pattern) => matches(pattern, column)) && !matches(/^(wgs84)?[xy]/, column)
}

/** Returns a name without letter case, spaces and signs, with its letters composed. */
function normalizeName(name: string): string {
  return name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\p{Cf}\s_\-./()[\]°:]/gu, '')
}
