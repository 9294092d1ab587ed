import { BlockList, isIPv6 } from 'node:net'

/** Whether an address belongs to a proxy whose `X-Forwarded-For` header the gateway trusts. */
export type IsTrustedProxy = (address: string) => boolean

/**
 * Makes the test for trusted proxies.
 * @param networks are addresses, or networks with a prefix length such as `10.0.0.0/8`
 */
export function trustProxies(networks: readonly string[]): IsTrustedProxy {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', length] = network.split('/')
    if (length === undefined) list.addAddress(address, familyOf(address))
    else list.addSubnet(address, Number(length), familyOf(address))
  }
  return (address) => list.check(address, familyOf(address))
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4'
}

/**
 * The network by which clients are counted: an IPv4 address itself, or the /64 network of an IPv6 address. A client that has one
 * IPv6 address usually has all addresses of its /64 network.
 */
export function networkOf(address: string): string {
  // Some proxies add the client's port in X-Forwarded-For, and each connection has another port.
  const ipv4 = /^(?:::ffff:)?([\d.]+)(?::\d+)?$/i.exec(address)?.[1]
  if (ipv4 !== undefined || !address.includes(':')) return ipv4 ?? address
  return networkOfIPv6(/^\[(.*)\]/.exec(address)?.[1] ?? address)
}

function networkOfIPv6(address: string): string {
  const [head = '', tail] = address.split('::')
  const start = head === '' ? [] : head.split(':')
  const end = tail === undefined || tail === '' ? [] : tail.split(':')
  const groups = [...start, ...Array.from({ length: 8 - start.length - end.length }, () => '0'), ...end]
  return `${groups.slice(0, 4).join(':')}::/64`
}
