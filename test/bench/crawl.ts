import { type ChildProcess, execFile, fork } from 'node:child_process'
import { promisify } from 'node:util'
import { step } from '../../src/core/storage/index.ts'
import { createStatements } from '../../src/reports/statements/index.ts'
import { onlyAbsolute, ratio, report } from './report.ts'
import { listedRow, openIndex } from './reports.ts'

const run = promisify(execFile)

/**
 * The crawler against undici that fetches robots.txt and page of the same hosts and unpacks them: websites
 * that it never saw, the same ones again, and how long a partner waits who adds one.
 */
export async function benchCrawl(file: (name: string) => string, pages: number): Promise<void> {
  const { child, port } = await startWeb()
  try {
    const plain = await measure('plain', port, pages, '')
    const url = file('crawl')
    await populateDue(url, pages)
    const first = await measure('ours', port, pages, url)
    await makeDue(url)
    const again = await measure('ours', port, pages, url, 'adds')
    const megabytes = first.memory.map((bytes) => (bytes / 1_048_576).toFixed(0))
    report(
      'crawl',
      `The crawler, ${pages} websites of 44 kB, beside undici that only fetches and unpacks them`,
      `For each second of CPU, the crawler visits ${ratio(first.perCore / plain.perCore)} times as many new websites as undici, and ${ratio(again.perCore / plain.perCore)} times as many unchanged ones. Its memory after each tenth, in MB: ${megabytes.join(', ')}.`,
      ...onlyAbsolute(
        `These are ${first.perCore.toFixed(0)} and ${again.perCore.toFixed(0)} a second and core.`,
      ),
      ...onlyAbsolute(`A website that is added is listed after ${again.addMs!.toFixed(0)} ms, median of 20.`),
    )
  } finally {
    child.disconnect()
  }
}

async function makeDue(url: string): Promise<void> {
  const m = await openIndex(url)
  const due = m.storage.prepare<{ at: string }>('bench-due', (db, p) =>
    db.updateTable('reports').set({ due_at: p.at }),
  )
  await m.storage.commit([step(due, { at: '2026-01-01T00:00:00.000Z' })])
  await m.close()
}

async function populateDue(url: string, pages: number): Promise<void> {
  const m = await openIndex(url)
  const statements = createStatements(m.storage)
  for (let from = 0; from < pages; from += 1000)
    await Promise.all(
      Array.from({ length: Math.min(1000, pages - from) }, (_, i) => {
        const n = from + i
        const host = `www.site-${n}.example`
        const row = {
          ...listedRow(n, null),
          url: `http://${host}/`,
          url_key: `site-${n}.example`,
          host,
          domain: `site-${n}.example`,
          due_at: '2026-01-01T00:00:00.000Z',
        }
        return m.storage.commit([step(statements.reportInsert, row)])
      }),
    )
  await m.close()
}

async function measure(kind: string, port: number, pages: number, url: string, adds = '') {
  const client = new URL('crawl-client.mjs', import.meta.url).pathname
  const { stdout } = await run(process.execPath, [client, kind, String(port), String(pages), url, adds])
  return JSON.parse(stdout) as { perSecond: number; perCore: number; memory: number[]; addMs?: number }
}

function startWeb() {
  return new Promise<{ child: ChildProcess; port: number }>((done, failed) => {
    const child = fork(new URL('crawl-server.mjs', import.meta.url).pathname, [], { execArgv: [] })
    child.once('message', (message) => done({ child, port: (message as { port: number }).port }))
    child.once('exit', (code) => failed(new Error(`the web ended with ${code}`)))
  })
}
