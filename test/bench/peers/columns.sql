i.id, i.dataset_id AS "datasetId", i.name, i.description,
i.administrative_area_code AS "administrativeAreaCode", i.category_code AS "categoryCode",
i.parent_item_id AS "parentItemId", i.street_address AS "streetAddress", i.address_region AS "addressRegion",
i.address_locality AS "addressLocality", i.postal_code AS "postalCode", i.road_address AS "roadAddress",
i.jibun_address AS "jibunAddress", i.latitude, i.longitude, i.thumbnail_url AS "thumbnailUrl",
i.created_at AS "createdAt", i.updated_at AS "updatedAt"
