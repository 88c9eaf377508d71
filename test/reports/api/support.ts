import type { ExecutionContext } from 'ava'
import sharp from 'sharp'
import type { MembershipOptions } from '../../../src/index.ts'
import { createClock, startIndex } from '../../support/index-host.ts'
import { openDocument } from '../../support/openapi.ts'
import { kirbyPage, type Page, plainPage, startWeb } from '../../support/web.ts'

export interface Told {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: an answer's body, which the tests look into
  readonly body: any
}

/** An index with a web, a clock, two partners, and clients whose every answer is held against the OpenAPI document. */
export const open = async (
  t: ExecutionContext,
  given: MembershipOptions & { url?: string; hosts?: Record<string, Record<string, Page>> } = {},
) => {
  const { hosts = {}, ...options } = given
  const web = await startWeb({
    'a.example': { '/': kirbyPage('Alpha') },
    'b.example': { '/': kirbyPage('Beta') },
    'plain.example': { '/': plainPage() },
    'down.example': { '/': (_, response) => void response.writeHead(503).end() },
    ...hosts,
  })
  const clock = createClock()
  const index = await startIndex(web, { now: clock.now, ...options })
  const documented = await openDocument(index.site)
  t.teardown(async () => {
    await index.close()
    await web.close()
  })

  const client = (key: string | null) => {
    const ask = async (
      method: string,
      path: string,
      init: { headers?: Record<string, string>; body?: RequestInit['body'] } = {},
    ): Promise<Told> => {
      const answer = await fetch(index.site + path, {
        method,
        headers: { ...(key === null ? {} : { 'X-API-KEY': key }), ...init.headers },
        body: init.body,
        redirect: 'manual',
      })
      const text = await answer.text()
      t.deepEqual(
        documented.faultsOf(method, path, {
          status: answer.status,
          type: answer.headers.get('content-type'),
          text,
        }),
        [],
        `${method} ${path}`,
      )
      return {
        status: answer.status,
        headers: answer.headers,
        text,
        body: /json/.test(answer.headers.get('content-type') ?? '') && text !== '' ? JSON.parse(text) : null,
      }
    }
    return {
      ask,
      add: (url: string, headers?: Record<string, string>) =>
        ask('POST', `/reports?url=${encodeURIComponent(url)}`, { headers }),
      list: (query = '', headers?: Record<string, string>) => ask('GET', `/reports${query}`, { headers }),
      read: (id: string, query = '', headers?: Record<string, string>) =>
        ask('GET', `/reports/${id}${query}`, { headers }),
      refresh: (id: string, headers?: Record<string, string>) => ask('PATCH', `/reports/${id}`, { headers }),
      remove: (id: string, headers?: Record<string, string>) => ask('DELETE', `/reports/${id}`, { headers }),
      upload: (id: string, file: Uint8Array, headers?: Record<string, string>) => {
        const form = new FormData()
        form.set('preview', new Blob([new Uint8Array(file)], { type: 'image/jpeg' }), 'shot.jpg')
        return ask('POST', `/reports/${id}`, { headers, body: form })
      },
      importList: (text: string, headers?: Record<string, string>) =>
        ask('POST', '/reports/imports', {
          headers: { 'content-type': 'text/plain', ...headers },
          body: text,
        }),
    }
  }
  const partner = async (name: string) => {
    const { id, key, keyId } = await index.partner(name)
    return { id, key, keyId, ...client(key) }
  }
  return {
    web,
    clock,
    index,
    m: index.m,
    documented,
    client,
    partner,
    ann: await partner('ann'),
    bob: await partner('bob'),
  }
}

/** A JPEG of that size. */
export const picture = (width = 64, height = 48): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: '#7aa7b3' } })
    .jpeg()
    .toBuffer()

export const day = 86_400_000
