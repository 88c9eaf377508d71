import { existsSync, readFileSync } from 'node:fs'

const folder = new URL('../../../shared/corpora/webhooks/', import.meta.url)

export interface StripeDelivery {
  /** The file's name, without its folder. */
  readonly file: string
  readonly type: string
  readonly body: Buffer
}

/** Every public Stripe payload beside the project as one delivery with an id of its own; null without the folder. */
export function stripeCorpus(): StripeDelivery[] | null {
  const index = new URL('INDEX.tsv', folder)
  if (!existsSync(index)) return null
  return readFileSync(index, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('stripe/'))
    .map((line, row) => {
      const [path = '', , type = '', version = '', shape = ''] = line.split('\t')
      const text = readFileSync(new URL(path, folder), 'utf8')
      return { file: path.replace('stripe/', ''), ...wrap({ text, type, version, shape, row }) }
    })
}

interface Payload {
  text: string
  type: string
  version: string
  shape: string
  row: number
}

function wrap({ text, type, version, shape, row }: Payload): { type: string; body: Buffer } {
  const id = `evt_corpus${String(row).padStart(4, '0')}`
  if (shape !== 'data' && shape !== 'object') return { ...renamed(text, id) }
  const real = shape === 'object' ? eventTypeOf(type) : type
  const envelope = JSON.stringify({
    id,
    object: 'event',
    api_version: version === '-' ? null : version,
    created: 1_700_000_000 + row,
    livemode: false,
    pending_webhooks: 0,
    request: { id: null, idempotency_key: null },
    type: real,
  })
  const data = shape === 'data' ? text : `{"object":${text}}`
  return { type: real, body: Buffer.from(`${envelope.slice(0, -1)},"data":${data}}`) }
}

/** Whole events stay as they are, but for their id, which recurs in several of them. */
function renamed(text: string, id: string): { type: string; body: Buffer } {
  const outer = JSON.parse(text) as { id: string; type?: string; detail?: { id: string; type: string } }
  const event = outer.detail ?? outer
  return { type: String(event.type), body: Buffer.from(text.replace(`"${event.id}"`, `"${id}"`)) }
}

// Bare API objects are indexed by what they are; an event about them has one of these types.
function eventTypeOf(name: string): string {
  if (name === 'subscription' || name.startsWith('subscription.')) return 'customer.subscription.updated'
  return eventTypes[name] ?? name
}

const eventTypes: Record<string, string> = {
  charge: 'charge.updated',
  'checkout.session': 'checkout.session.completed',
  customer: 'customer.updated',
  deleted_customer: 'customer.deleted',
  invoice: 'invoice.updated',
  invoice_payment: 'invoice_payment.paid',
  payment_intent: 'payment_intent.payment_failed',
  refund: 'refund.updated',
}
