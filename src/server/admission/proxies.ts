import { BlockList, isIPv6 } from 'node:net'

/** Whether an address is that of a proxy whose `X-Forwarded-For` is believed. */
export type IsTrustedProxy = (address: string) => boolean

/** @param networks are addresses, or networks with the length of their prefix, as `10.0.0.0/8`. */
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
