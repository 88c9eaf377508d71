import { createHash } from 'node:crypto'
import type { Delivery, WebhookSecret } from '../contract.ts'
import { isEqual, readHeader, signatureError } from '../signatures.ts'

const header = 'authorization'

/**
 * Verifies the user name and password of the webhook, `user:password`, because Chargebee signs nothing.
 * Source: https://apidocs.chargebee.com/docs/api/v1/events
 * @throws ERR_WEBHOOK_SIGNATURE
 */
export function verifyCredentials(
  { headers }: Pick<Delivery, 'headers'>,
  secrets: readonly WebhookSecret[],
): string {
  const known = secrets.filter(({ secret }) => secret !== '')
  if (known.length === 0)
    throw signatureError(
      'No webhook credentials are configured',
      'Set the provider’s `webhook` to user:password, as they stand in Chargebee.',
    )
  const shown = digestOf(readHeader(headers, header).replace(/^basic +/i, ''))
  // Digests have equal length, whatever was sent.
  const match = known.find(({ secret }) => isEqual(shown, digestOf(encoded(secret))))
  if (match) return match.label
  throw signatureError(
    'These are not the configured credentials',
    'Compare user name and password with those of the webhook in Chargebee.',
  )
}

/** Builds the header that {@link verifyCredentials} accepts. */
export function writeCredentials(secret: string): Record<string, string> {
  return {
    [header]: `Basic ${encoded(secret)}`,
  }
}

function encoded(secret: string): string {
  return Buffer.from(secret, 'utf8').toString('base64')
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text, 'utf8').digest()
}
