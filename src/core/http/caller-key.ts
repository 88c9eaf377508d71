import type { IncomingMessage } from 'node:http'
import { isIPv6 } from 'node:net'

/**
 * Returns the caller's address for the rate limit: the socket's, or behind `trustProxy` proxies the one that the
 * outermost of them saw. IPv6 addresses count by /64.
 */
export function clientAddress(request: IncomingMessage, trustProxy: number): string {
  const socket = request.socket?.remoteAddress ?? 'unknown'
  if (trustProxy === 0) return toSubnet(socket)
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
  // Counted from the right, because each trusted proxy appended the address it saw.
  return toSubnet(forwarded[forwarded.length - trustProxy] ?? forwarded[0] ?? socket)
}

// Some proxies append the connection's port, which changes each time: 192.0.2.1:4711, [2001:db8::1]:4711.
function withoutPort(address: string): string {
  return (
    /^\[(.*)\](?::\d+)?$/.exec(address)?.[1] ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(address)?.[1] ?? address
  )
}

function toSubnet(written: string): string {
  const address = withoutPort(written)
  if (!address.includes(':')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  if (mapped) return mapped[1]!
  if (!isIPv6(address)) return address
  const [head = '', tail = ''] = address.split('%')[0]!.split('::')
  const left = head ? head.split(':') : []
  const right = tail ? tail.split(':') : []
  const groups = address.includes('::')
    ? [...left, ...Array(8 - left.length - right.length).fill('0'), ...right]
    : left
  return `${groups
    .slice(0, 4)
    .map((g) => Number.parseInt(g, 16).toString(16))
    .join(':')}::/64`
}
