/*
 * Example queries for the sample data: one for each feature of the schema, each in its own tab. GraphiQL names a tab after its
 * operation.
 */

export const EXAMPLES = [
  `# Your datasets.
# Ctrl-Enter runs it.
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
  `# Palaces with their parts and images.
query Palaces {
  dataset(id: "seoul-landmarks") {
    name
    items(categoryCode: "palace", sort: NAME) {
      total
      nodes {
        name
        roadAddress
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
  `# Names that contain a word, and the codes of a dataset.
query Search($text: String = "palace") {
  searchItems(text: $text, limit: 5) {
    total
    nodes {
      name
      dataset {
        name
      }
    }
  }
  dataset(id: "seoul-landmarks") {
    categories {
      code
      total
    }
  }
}
`,
  `# Within two kilometres of Gyeongbokgung,
# nearest first, with images.
query Nearby($latitude: Float = 37.5796, $longitude: Float = 126.977, $radius: Float = 2000) {
  nearbyItems(latitude: $latitude, longitude: $longitude, radius: $radius, limit: 5) {
    total
    nodes {
      distance
      item {
        name
        categoryCode
        parent {
          name
        }
        images {
          altText
          thumbnailSmallUrl
        }
      }
    }
  }
}
`,
  `# A Relay connection: the first five items.
# Give endCursor as $after for the next five.
query Connection($first: Int = 5, $after: String) {
  dataset(id: "seoul-landmarks") {
    itemConnection(first: $first, after: $after) {
      totalCount
      edges {
        cursor
        node {
          name
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
}
`,
  `# One fragment for two datasets.
# The variables are in the pane below.
query Compare($one: ID = "seoul-landmarks", $other: ID = "world-airports", $limit: Int = 2) {
  one: dataset(id: $one) {
    ...Summary
  }
  other: dataset(id: $other) {
    ...Summary
  }
}

fragment Summary on Dataset {
  name
  updatedAt
  items(limit: $limit, sort: UPDATED_AT, order: DESC) {
    total
    nodes {
      name
      latitude
      longitude
    }
  }
}
`,
  `# A dataset, an item or an image by its UUID.
# This one is the item Gwanghwamun.
query Node($id: ID = "ed9ea7d8-caaf-5cf9-817b-36ba51a4744b") {
  node(id: $id) {
    __typename
    id
    ... on Dataset {
      name
      status
    }
    ... on Item {
      name
      parent {
        name
      }
      images {
        thumbnailSmallUrl
      }
    }
    ... on Image {
      altText
      originalUrl
    }
  }
}
`,
] as const

/** The variables of the examples, by the name of the operation. */
export const VARIABLES: Readonly<Record<string, object>> = {
  Compare: { one: 'seoul-landmarks', other: 'world-airports', limit: 2 },
  Connection: { first: 5, after: null },
  Nearby: { latitude: 37.5796, longitude: 126.977, radius: 2000 },
}
