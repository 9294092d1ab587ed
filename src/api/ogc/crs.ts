/** WGS 84 with longitude before latitude: the coordinate reference system of GeoJSON, and the only one here. */
export const CRS84 = 'http://www.opengis.net/def/crs/OGC/1.3/CRS84'
