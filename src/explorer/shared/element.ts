/** Returns the element with an id. Throws when the page has none of that type. */
export function byId<Type extends HTMLElement>(id: string, type: new () => Type): Type {
  const found = document.getElementById(id)
  if (found instanceof type) return found
  throw new TypeError(`The page has no ${type.name} with the id ${id}`)
}
