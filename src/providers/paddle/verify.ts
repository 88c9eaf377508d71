import { timestampedScheme } from '../signatures.ts'

/**
 * `ts=…;h1=…[;h1=…]` over `ts:body`, with the whole secret as the key. During a rotation there are several
 * `h1`. Source: https://developer.paddle.com/webhooks/signature-verification
 */
export const paddleScheme = timestampedScheme({
  header: 'paddle-signature',
  separator: ';',
  timeKey: 'ts',
  signatureKey: 'h1',
  joiner: ':',
})
