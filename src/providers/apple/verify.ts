import { lazy } from '../../core/lazy.ts'
import type { Delivery, WebhookSecret } from '../contract.ts'
import { int, str } from '../narrow.ts'
import { signatureError } from '../signatures.ts'
import { chainVerifier, type VerifyChain } from './certificates.ts'
import { decodedPart } from './jws.ts'
import type { Notification, SignedNotification } from './payload.ts'
import { appOf } from './read.ts'

/** Settings of the verification. */
export interface AppleVerification {
  /** Root certificate, as PEM. */
  readonly root: string
  /** Numeric id of the app in the App Store, by the label of its bundle id. */
  readonly appleIdOf: (label: string) => number | undefined
}

const jose = lazy(() => import('jose'))

/**
 * Verifies the signature of a notification, and that it is about one of the configured apps. `secrets` are
 * the bundle ids. Both environments are accepted, because the event says which one it is from.
 * @throws ERR_WEBHOOK_SIGNATURE
 */
export function createAppleVerify({ root, appleIdOf }: AppleVerification) {
  const verifyChain = lazy(() => chainVerifier(root))
  return async (
    { body }: Pick<Delivery, 'body'>,
    secrets: readonly WebhookSecret[],
    now: Date,
  ): Promise<string> => {
    if (secrets.length === 0)
      throw signatureError(
        'No bundle id is configured',
        'Set the provider’s `webhook` to the app’s bundle id.',
      )
    const jws = signedPayloadOf(body)
    const [header, payload] = [decodedPart(jws, 0), decodedPart(jws, 1)]
    if (jws === null || header === null || payload === null)
      throw refused('it has no signedPayload of version 2')
    const signedAt = signedDateOf(payload) ?? now
    await verifySignature(jws, { x5c: header.x5c, signedAt, verifyChain: verifyChain() })
    return labelOf(payload, secrets, appleIdOf)
  }
}

async function verifySignature(
  jws: string,
  given: { x5c: unknown; signedAt: Date; verifyChain: VerifyChain },
): Promise<void> {
  const { x5c, signedAt, verifyChain } = given
  const { compactVerify } = await jose()
  try {
    const { publicKey } = verifyChain(x5c, signedAt)
    await compactVerify(jws, publicKey, { algorithms: ['ES256'] })
  } catch (cause) {
    throw refused(cause instanceof Error ? cause.message : 'it cannot be verified')
  }
}

/** A wrong date gives an invalid one, at which no certificate was valid. */
function signedDateOf({ signedDate }: Notification): Date | null {
  return signedDate === undefined ? null : new Date(int(signedDate) ?? Number.NaN)
}

/**
 * Source: https://developer.apple.com/documentation/appstoreservernotifications/data, `bundleId` and
 * `appAppleId`; the sandbox has no `appAppleId`.
 */
function labelOf(
  payload: Notification,
  secrets: readonly WebhookSecret[],
  appleIdOf: AppleVerification['appleIdOf'],
): string {
  const { bundleId, appAppleId, environment } = appOf(payload)
  const app = secrets.find(({ secret }) => secret === bundleId)
  if (app === undefined)
    throw signatureError(
      'It is signed by Apple, and about another app',
      'Set the provider’s `webhook` to the bundle id of your app, as App Store Connect shows it.',
    )
  if (environment === 'Production' && appleIdOf(app.label) !== appAppleId)
    throw signatureError(
      'It is signed by Apple, and about another app: its Apple ID is not the configured one',
      'Set the provider’s `app_apple_id` to the number that App Store Connect shows as Apple ID of the app.',
    )
  return app.label
}

function signedPayloadOf(body: Buffer): string | null {
  try {
    const { signedPayload }: SignedNotification = JSON.parse(body.toString('utf8')) ?? {}
    return str(signedPayload)
  } catch {
    return null
  }
}

function refused(reason: string) {
  return signatureError(
    `It is not signed by the App Store: ${reason}`,
    'Only the App Store sends here; check that nothing changes the body.',
  )
}
