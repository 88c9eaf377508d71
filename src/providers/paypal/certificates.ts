import { LRUCache } from 'lru-cache'
import { type Chain, readChain } from './chain.ts'

/**
 * Fetches the certificates at one of PayPal's addresses.
 * @throws Unreachable, Error while they are unavailable
 */
export type FindCertificates = (address: string) => Promise<Chain>

/** PayPal's host gave no answer, or not its own, so it is unknown if the certificate exists. */
export class Unreachable extends Error {}

/** Source of certificates, and the time limit of a download. */
export interface CertificateOptions {
  /** Host that replaces PayPal's in tests. */
  readonly base?: string | undefined
  readonly timeoutMs?: number
}

const mostBytes = 64 * 1024
const keptMs = 24 * 60 * 60 * 1000
// Limits simultaneous downloads, because anybody can invent addresses on PayPal's host.
const mostAtOnce = 4

/**
 * Downloads each certificate once a day, without parallel downloads of the same one. Only complete ones are
 * cached, so that invented addresses displace nothing.
 */
export function createCertificates({ base, timeoutMs = 5000 }: CertificateOptions = {}): FindCertificates {
  const kept = new LRUCache<string, Chain>({ max: 20, ttl: keptMs })
  const loading = new Map<string, Promise<Chain>>()

  const load = async (address: string): Promise<Chain> => {
    const from = base === undefined ? address : new URL(new URL(address).pathname, base).href
    const chain = readChain(await download(from, timeoutMs))
    kept.set(address, chain)
    return chain
  }

  return async (address) => {
    const known = kept.get(address) ?? loading.get(address)
    if (known !== undefined) return known
    if (loading.size >= mostAtOnce) throw new Error('too many certificates are being fetched')
    const begun = load(address).finally(() => loading.delete(address))
    loading.set(address, begun)
    return begun
  }
}

async function download(address: string, timeoutMs: number): Promise<string> {
  // A redirect could lead to a host that was not checked.
  const answer = await fetch(address, { redirect: 'error', signal: AbortSignal.timeout(timeoutMs) }).catch(
    (cause: unknown) => {
      throw new Unreachable('the certificate’s address does not answer', { cause })
    },
  )
  if (answer.status !== 200 || answer.body === null) {
    await answer.body?.cancel()
    const Failure = answer.status >= 500 ? Unreachable : Error
    throw new Failure(`the certificate’s address answered ${answer.status}`)
  }
  const parts: Uint8Array[] = []
  let bytes = 0
  for await (const part of answer.body) {
    bytes += part.byteLength
    if (bytes > mostBytes) throw new Error('the certificate is too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('latin1')
}
