/*
 * Collects the garbage of the process that imports it, on SIGUSR2. A second collection frees what finalizers have released.
 */
process.on('SIGUSR2', () => {
  void globalThis.gc?.()
  setImmediate(() => void globalThis.gc?.())
})
