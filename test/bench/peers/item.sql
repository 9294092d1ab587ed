SELECT COLUMNS, i.contact_name AS "contactName", i.telephone, i.email, i.url, i.opening_hours AS "openingHours",
       i.extra_attributes AS "extraAttributes", json_build_object('slug', d.slug, 'name', d.name) AS dataset,
       (SELECT coalesce(json_agg(image), '[]') FROM (
         SELECT m.id, m.original_url AS "originalUrl", m.cdn_url AS "cdnUrl",
                m.thumbnail_small_url AS "thumbnailSmallUrl", m.thumbnail_medium_url AS "thumbnailMediumUrl",
                m.thumbnail_large_url AS "thumbnailLargeUrl", m.alt_text AS "altText",
                m.sort_order AS "sortOrder", m.is_primary AS "isPrimary"
           FROM images m WHERE m.item_id = i.id ORDER BY m.sort_order, m.id
       ) AS image) AS images
  FROM items i JOIN datasets d ON d.id = i.dataset_id
 WHERE i.id = $1
