/** A body that is arriving, or in use. */
export interface Arriving {
  /** So many bytes more of it are held. */
  grow(bytes: number): void
  /** It is whole and in use: its room cannot be had before its end. */
  keep(): void
  /** Nothing of it is held any more. */
  end(): void
}

interface Body {
  bytes: number
  /** null while it is in use. */
  giveWay: (() => void) | null
}
interface Sender {
  bytes: number
  readonly bodies: Set<Body>
}

/**
 * The bytes of all bodies that are arriving or in use, by who sends them: what was announced takes no room, what arrived
 * does. Where there is too little, whoever holds most gives way with its largest arriving body, so that a small one is
 * taken whatever others send, from its own address, too.
 */
export const createInFlight = ({ bytesPerSender, bytes }: { bytesPerSender: number; bytes: number }) => {
  const senders = new Map<string, Sender>()
  let held = 0

  /** `giveWay` is called when this body has to go; it must `end` it. */
  const begin = (name: string, giveWay: () => void): Arriving => {
    const sender = senders.get(name) ?? { bytes: 0, bodies: new Set() }
    senders.set(name, sender)
    const body: Body = { bytes: 0, giveWay }
    sender.bodies.add(body)
    const grow = (more: number) => {
      body.bytes += more
      sender.bytes += more
      held += more
      if (sender.bytes > bytesPerSender) largest(arriving(sender))?.giveWay?.()
      if (held > bytes) largest(arriving(largest([...senders.values()].filter(isArriving))))?.giveWay?.()
    }
    const keep = () => {
      body.giveWay = null
    }
    const end = () => {
      if (!sender.bodies.delete(body)) return
      sender.bytes -= body.bytes
      held -= body.bytes
      if (sender.bodies.size === 0) senders.delete(name)
    }
    return { grow, keep, end }
  }

  return { begin }
}

const arriving = (sender: Sender | undefined): Body[] =>
  [...(sender?.bodies ?? [])].filter(({ giveWay }) => giveWay !== null)

const isArriving = (sender: Sender): boolean => arriving(sender).length > 0

const largest = <T extends { bytes: number }>(all: Iterable<T>): T | undefined => {
  let found: T | undefined
  for (const one of all) if (found === undefined || one.bytes > found.bytes) found = one
  return found
}
