import { z } from 'zod'
import { prospectSchema } from '../../core/dto/index.ts'

/** Input of a route besides its path, and its answers to programs. */
export interface Operation {
  readonly id: string
  readonly summary: string
  /** Fields of the form or of its JSON equivalent, besides `token`; null when the request has no body. */
  readonly fields?: z.ZodType
  /** Success answers by status; null stands for a page. */
  readonly answers: Readonly<Record<number, z.ZodType | null>>
}

const text = z.string()
/** Page that a form redirects to. */
export const redirect = text.optional().describe('A path on this site: where a browser goes on.')
const looked = z.object({
  prospect: prospectSchema,
  shown: text.describe('Sent with the action, it confirms this.'),
})
/** Passes for other runtimes, and the keys that check them. */
export const passOperations: Readonly<Record<string, Operation>> = {
  'GET /membership/pass': {
    id: 'pass',
    summary:
      'A pass for other runtimes: a JWT that says who this is and what is open, for five minutes at most',
    answers: { 200: z.object({ pass: text, expires_at: text }) },
  },
  'GET /membership/jwks.json': {
    id: 'passKeys',
    summary: 'The public keys that check passes',
    answers: {
      200: z.object({
        keys: z.array(z.object({ kty: text, crv: text, x: text, kid: text, alg: text, use: text })),
      }),
    },
  },
}
/** The proof that a site gives to its own leak audit. */
export const auditOperations: Readonly<Record<string, Operation>> = {
  'GET /membership/audit/:token': {
    id: 'auditProof',
    summary: 'Proves to the leak audit that this site has the secret that signed its question',
    answers: { 200: z.object({ proof: text }) },
  },
}
/** Private files and feeds. */
export const downloadOperations: Readonly<Record<string, Operation>> = {
  'GET /membership/files/:token/:name': {
    id: 'file',
    summary: 'A private file by a link of minutes; ranges are served',
    answers: { 200: null, 206: null, 302: null },
  },
  'GET /membership/feeds/:token/:name': {
    id: 'feed',
    summary: 'A feed as one member may read it, at their own address',
    answers: { 200: null },
  },
}
const seller = z.object({ name: text, address: z.array(text) })
function look(id: string, summary: string): Operation {
  return { id, summary, answers: { 200: looked } }
}

/** Pages that show what an action would do, and what was paid. */
export const shownOperations: Readonly<Record<string, Operation>> = {
  'GET /membership/change/:subscription': look(
    'lookAtChange',
    'What a change would do; the query is its form',
  ),
  'GET /membership/cancel/:subscription': look('lookAtCancel', 'What a cancellation would do'),
  'GET /membership/resume/:subscription': look('lookAtResume', 'What going on would do'),
  'GET /membership/pause/:subscription': look('lookAtPause', 'What a pause would do'),
  'GET /membership/discount/:subscription': look('lookAtDiscount', 'What the discount would do'),
  'GET /membership/invoices/:payment': {
    id: 'invoice',
    summary: 'The invoice of a payment whose provider lives in the site, to print',
    answers: {
      200: z.object({
        number: text,
        day: text,
        buyer: z.object({ name: text.nullable(), email: text.nullable() }),
        lines: z.array(z.object({ text, period: text.nullable(), amount: text })),
        credit: text.nullable(),
        total: text,
        refunded: text.nullable(),
        seller,
      }),
    },
  },
  'GET /membership/payments/:payment': {
    id: 'receipt',
    summary: 'What was paid, to print: no invoice',
    answers: {
      200: z.object({
        payment: z.object({ id: text, title: text, amount: text, refunded: text.nullable(), day: text }),
        invoice_url: text.nullable(),
        seller,
        contact: text.nullable(),
        tax: z.enum(['included', 'excluded', 'none']).nullable(),
      }),
    },
  },
}
