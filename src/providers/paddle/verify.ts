import { timestampedScheme } from '../signatures.ts'

/** `ts=…;h1=…[;h1=…]` over `ts:body`, keyed with the whole secret; while it is replaced, several `h1` come.
 *  Source: https://developer.paddle.com/webhooks/signature-verification */
export const paddleScheme = timestampedScheme({
  header: 'paddle-signature',
  separator: ';',
  timeKey: 'ts',
  signatureKey: 'h1',
  joiner: ':',
})
