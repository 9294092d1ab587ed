/** The URL of a server. */
export function urlOf({ address, port }: { address: string; port: number }): string {
  // 0.0.0.0 means all addresses, and a client can't connect to it everywhere.
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`
  return address.includes(':') ? `http://[${address}]:${port}` : `http://${address}:${port}`
}

/** Whether a host, as a URL has it, is this machine under a name that no other machine has. */
export function isLoopback(host: string): boolean {
  return ['localhost', '127.0.0.1', '[::1]', '::1'].includes(host)
}
