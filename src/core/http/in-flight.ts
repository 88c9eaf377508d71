/** A body that is arriving, or in use. */
export interface Arriving {
  readonly sender: Sender
  bytes: number
  /** null while it is in use. */
  giveWay: (() => void) | null
}
interface Sender {
  readonly name: string
  bytes: number
  readonly bodies: Set<Arriving>
}

/**
 * The bytes of all bodies that are arriving or in use, by who sends them: what was announced takes no room, what arrived
 * does. Where there is too little, whoever holds most gives way with its largest arriving body, so that a small one is
 * taken whatever others send, from its own address, too.
 */
export const createInFlight = ({ bytesPerSender, bytes }: { bytesPerSender: number; bytes: number }) => {
  const senders = new Map<string, Sender>()
  let held = 0

  const senderOf = (name: string): Sender => {
    const known = senders.get(name)
    if (known) return known
    const sender = { name, bytes: 0, bodies: new Set<Arriving>() }
    senders.set(name, sender)
    return sender
  }

  /** `giveWay` is called when this body has to go; it must `end` it. */
  const begin = (name: string, giveWay: () => void): Arriving => {
    const body = { sender: senderOf(name), bytes: 0, giveWay }
    body.sender.bodies.add(body)
    return body
  }

  /** So many bytes more of it are held. */
  const grow = (body: Arriving, more: number): void => {
    const { sender } = body
    body.bytes += more
    sender.bytes += more
    held += more
    if (sender.bytes > bytesPerSender) largest(arriving(sender))?.giveWay?.()
    if (held > bytes) largest(arriving(largest([...senders.values()].filter(isArriving))))?.giveWay?.()
  }

  /** It is whole and in use: its room cannot be had before its end. */
  const keep = (body: Arriving): void => {
    body.giveWay = null
  }

  /** Nothing of it is held any more. */
  const end = (body: Arriving): void => {
    const { sender } = body
    if (!sender.bodies.delete(body)) return
    sender.bytes -= body.bytes
    held -= body.bytes
    if (sender.bodies.size === 0) senders.delete(sender.name)
  }

  return { begin, grow, keep, end }
}

const arriving = (sender: Sender | undefined): Arriving[] =>
  [...(sender?.bodies ?? [])].filter(({ giveWay }) => giveWay !== null)

const isArriving = (sender: Sender): boolean => arriving(sender).length > 0

const largest = <T extends { bytes: number }>(all: Iterable<T>): T | undefined => {
  let found: T | undefined
  for (const item of all) if (found === undefined || item.bytes > found.bytes) found = item
  return found
}
