import { expect, test } from 'vitest'
import { networkOf, trustProxies } from '../../src/gateway/admission/proxies.ts'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:50123', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8::9', '2001:db8:0:0::/64'],
  ['2001:db8:1:2::', '2001:db8:1:2::/64'],
  ['::', '0:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::1:2:3:4:5:6', '0:0:1:2::/64'],
  ['1::3:4:5:6:7:8', '1:0:3:4::/64'],
  ['[2001:db8::9]:50123', '2001:db8:0:0::/64'],
  ['unknown', 'unknown'],
])('the network of %s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('a proxy is trusted by its address, or by its network', () => {
  const isTrusted = trustProxies(['10.0.0.0/8', '192.0.2.1', '2001:db8::/32'])
  expect(['10.255.0.1', '192.0.2.1', '2001:db8::9'].map(isTrusted)).toEqual([true, true, true])
  expect(['11.0.0.1', '192.0.2.2', '2001:db9::1'].map(isTrusted)).toEqual([false, false, false])
})
