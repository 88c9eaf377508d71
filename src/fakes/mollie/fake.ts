import { mollieScheme } from '../../providers/mollie/verify.ts'
import { signHmac } from '../../providers/signatures.ts'
import {
  createIdempotency,
  createStore,
  createWorld,
  type FakeServer,
  type JsonViews,
  openFakeServer,
  type Speech,
  settingsOf,
  type World,
} from '../engine/index.ts'
import { createApi } from './api.ts'
import { refuseKey, toMollieError } from './errors.ts'
import type { FakeMollieOptions } from './options.ts'
import { createPages } from './pages.ts'
import { createShapes, type Shapes } from './shapes.ts'
import { createTeller } from './tell.ts'

/**
 * Starts the engine as Mollie, written after its public documentation. `pay` accepts a payment's id. It sells
 * only in test mode, and its API is below `/v2`.
 */
export function createFakeMollie(options: FakeMollieOptions = {}): Promise<FakeServer<JsonViews>> {
  return openFakeServer<JsonViews>(options, (context) => {
    const { url, clock, ids } = context
    const tell = createTeller(context, options.sends)
    let speaking!: ReturnType<typeof tell>
    const world: World = createWorld({
      // A failed charge is not retried, but the next one follows.
      settings: settingsOf({ tax: options.tax }, [], 'past_due'),
      clock,
      store: createStore(context.replica),
      // Both lengths occur in https://docs.mollie.com/reference/get-payment.
      idFor: (kind) => ids(prefixes[kind] ?? kind, context.longIds ? 22 : 10),
      tell: (fact, object) => {
        // The card that was shown last is charged from now on.
        if (object.kind === 'method') world.change('customer', object.customer, { method: object.id })
        speaking(fact, object)
      },
    })
    const shapes: Shapes = createShapes(world, url)
    speaking = tell(world, shapes)
    const secret = options.secret ?? 'test_fake'
    const idempotency = createIdempotency({
      seconds: clock.seconds,
      keptSeconds: 3600,
      maxLength: 255,
      refuse: refuseKey,
      saving: context.saving,
    })
    return {
      secret,
      world,
      show: shapes.show as Speech<JsonViews>['show'],
      refusalText: () => 'The payment has failed. Try again, or pay otherwise.',
      errorOf: toMollieError,
      api: createApi({ world, shapes, secret, url, idempotency, context }),
      page: createPages(world),
      // Pings are not signed.
      sign: ({ body }, key, at): Record<string, string> =>
        body.startsWith('{')
          ? signHmac(mollieScheme, Buffer.from(body), key, at)
          : { 'Content-Type': 'application/x-www-form-urlencoded' },
      requestId: (requestIds) => requestIds('req', 14),
    }
  })
}

// https://docs.mollie.com/reference/common-data-types
const prefixes: Readonly<Partial<Record<string, string>>> = {
  checkout: 'tr',
  payment: 'tr',
  subscription: 'sub',
  customer: 'cst',
  method: 'mdt',
  refund: 're',
  dispute: 'chb',
}
