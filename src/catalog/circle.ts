/** A circle on the spheroid: centre in degrees, radius in metres. */
export interface Circle {
  latitude: number
  longitude: number
  radius: number
}
