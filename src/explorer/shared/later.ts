import { useLayoutEffect, useState } from 'preact/hooks'

/*
 * What is shown when it is known, such as a total. Nothing waits for it.
 */

/** The values that have come. A view that is drawn again has them at once. */
const come = new WeakMap<Promise<unknown>, { value: unknown }>()

/** Returns the value of a promise when it comes, and `failed` if it fails; undefined until then. */
export function useLater<Value>(promise: Promise<Value> | undefined, failed?: Value): Value | undefined {
  const [known, setKnown] = useState<{ promise: Promise<Value>; value: Value | undefined }>()
  useLayoutEffect(() => {
    if (!promise || come.has(promise)) return
    let isCurrent = true
    const use = (value: Value | undefined) => isCurrent && setKnown({ promise, value })
    promise.then(
      (value) => {
        come.set(promise, { value })
        use(value)
      },
      () => use(failed),
    )
    return () => {
      isCurrent = false
    }
  }, [promise])
  if (known !== undefined && known.promise === promise) return known.value
  return promise && (come.get(promise) as { value: Value } | undefined)?.value
}
