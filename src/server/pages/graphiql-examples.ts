/** Queries that run on the sample data, a tab each. */
export const EXAMPLES = [
  `# Fill in your API key below, under Headers, and run this (Ctrl-Enter).
query Datasets {
  datasets {
    total
    nodes {
      slug
      name
      visibility
      attribution
      items(limit: 3) {
        total
        nodes {
          name
          categoryCode
        }
      }
    }
  }
}
`,
  `# A place with its parts and pictures.
query Palaces {
  dataset(id: "seoul-landmarks") {
    name
    items(categoryCode: "palace", sort: NAME) {
      total
      nodes {
        name
        roadAddress
        jibunAddress
        children {
          nodes {
            name
          }
        }
        images {
          altText
          thumbnailSmallUrl
          isPrimary
        }
      }
    }
  }
}
`,
  `# What is within two kilometres of Gyeongbokgung, nearest first.
query Nearby($latitude: Float = 37.5796, $longitude: Float = 126.977, $radius: Float = 2000) {
  nearbyItems(latitude: $latitude, longitude: $longitude, radius: $radius, limit: 5) {
    total
    nodes {
      distance
      item {
        name
        categoryCode
        dataset {
          name
        }
        parent {
          name
        }
      }
    }
  }
}
`,
] as const
