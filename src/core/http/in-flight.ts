/** A body that is arriving or in use. */
export interface Arriving {
  readonly sender: Sender
  bytes: number
  /** null while the body is in use. */
  giveWay: (() => void) | null
}
interface Sender {
  readonly name: string
  bytes: number
  readonly bodies: Set<Arriving>
}

/**
 * Counts the bytes of all bodies that are arriving or in use, by sender. Only arrived bytes count, not announced ones.
 * When space runs out, the sender with the most bytes loses its largest arriving body. A small body is therefore
 * accepted whatever others send, even from the same address.
 */
export function createInFlight({ bytesPerSender, bytes }: { bytesPerSender: number; bytes: number }) {
  const senders = new Map<string, Sender>()
  let held = 0

  const senderOf = (name: string): Sender => {
    const known = senders.get(name)
    if (known) return known
    const sender = { name, bytes: 0, bodies: new Set<Arriving>() }
    senders.set(name, sender)
    return sender
  }

  /** `giveWay` is called when this body must go; it must call `end`. */
  const begin = (name: string, giveWay: () => void): Arriving => {
    const body = { sender: senderOf(name), bytes: 0, giveWay }
    body.sender.bodies.add(body)
    return body
  }

  /** Counts further arrived bytes. */
  const grow = (body: Arriving, more: number): void => {
    const { sender } = body
    body.bytes += more
    sender.bytes += more
    held += more
    if (sender.bytes > bytesPerSender) largest(arriving(sender))?.giveWay?.()
    if (held > bytes) largest(arriving(largest([...senders.values()].filter(isArriving))))?.giveWay?.()
  }

  /** Marks the body as complete and in use, so that it keeps its space until the end. */
  const keep = (body: Arriving): void => {
    body.giveWay = null
  }

  /** Releases the body's bytes. */
  const end = (body: Arriving): void => {
    const { sender } = body
    if (!sender.bodies.delete(body)) return
    sender.bytes -= body.bytes
    held -= body.bytes
    if (sender.bodies.size === 0) senders.delete(sender.name)
  }

  return { begin, grow, keep, end }
}

function arriving(sender: Sender | undefined): Arriving[] {
  return [...(sender?.bodies ?? [])].filter(({ giveWay }) => giveWay !== null)
}

function isArriving(sender: Sender): boolean {
  return arriving(sender).length > 0
}

function largest<T extends { bytes: number }>(all: Iterable<T>): T | undefined {
  let found: T | undefined
  for (const item of all) if (found === undefined || item.bytes > found.bytes) found = item
  return found
}
