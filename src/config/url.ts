/** The URL of a server. */
export function urlOf({ address, port }: { address: string; port: number }): string {
  // 0.0.0.0 means all addresses, and a client can't connect to it everywhere.
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`
  return address.includes(':') ? `http://[${address}]:${port}` : `http://${address}:${port}`
}
