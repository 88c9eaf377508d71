// What is loaded, step by step: one line of JSON for each configuration of the arguments, the first with the package alone.
import { createRequire, register } from 'node:module'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import type { MembershipOptions } from '../../src/index.ts'

const hooks = `
let port
export const initialize = (data) => { port = data.port }
export const load = (url, context, next) => { port.postMessage(url); return next(url, context) }`

const { port1, port2 } = new MessageChannel()
register(`data:text/javascript,${encodeURIComponent(hooks)}`, {
  data: { port: port2 },
  transferList: [port2],
})

function told(): string[] {
  const urls: string[] = []
  for (let next = receiveMessageOnPort(port1); next; next = receiveMessageOnPort(port1))
    urls.push(next.message)
  // What CommonJS loads by itself no hook sees.
  return [...urls, ...Object.keys(createRequire(import.meta.url).cache)]
}

const { createMembership } = await import('../../src/index.ts')
const steps = [told()]
for (const text of process.argv.slice(2)) {
  const options: MembershipOptions = JSON.parse(text)
  const m = await createMembership({
    'membership.database.url': 'sqlite::memory:',
    root: false,
    install: false,
    log: () => {},
    ...options,
  })
  await m.close()
  steps.push(told())
}
console.log(JSON.stringify(steps))
port1.close()
