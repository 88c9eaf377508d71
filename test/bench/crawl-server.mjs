// The websites that the crawlers visit: one page of a common size, packed, for every host.
import { createServer } from 'node:http'
import { gzipSync } from 'node:zlib'

const words = 'A studio for patient things since two thousand and nine, with a garden and a small library. '
const items = Array.from(
  { length: 120 },
  (_, i) =>
    `<article class="card card-${i % 7}"><a href="/notes/${i}"><img src="/media/pages/notes/0a1b2c3d4e-1700000${i}/cover-${i}x.jpg" alt=""></a><h2>Note ${i}</h2><p>${words.repeat(2)}</p></article>`,
).join('\n')
const page = gzipSync(
  `<!doctype html><html lang="en"><head><title>A studio</title><meta name="description" content="${words}"><link rel="icon" href="/favicon.svg"><link rel="stylesheet" href="/assets/css/site.css"></head><body>${items}</body></html>`,
)
const robots = 'User-agent: *\nDisallow: /panel\n'

const listener = (request, response) => {
  if (request.url === '/robots.txt')
    return response.writeHead(200, { 'content-type': 'text/plain' }).end(robots)
  // Every other host knows whether its page is still the same.
  const hasTag = Number(/\d+/.exec(request.headers.host)?.[0]) % 2 === 0
  if (hasTag && request.headers['if-none-match'] === '"1"')
    return response.writeHead(304, { etag: '"1"' }).end()
  response
    .writeHead(200, {
      ...(hasTag ? { etag: '"1"' } : {}),
      'content-type': 'text/html; charset=utf-8',
      'content-encoding': 'gzip',
      'content-length': page.length,
    })
    .end(page)
}
const listen = (port, address) =>
  new Promise((done, failed) => {
    const server = createServer(listener).once('error', failed)
    server.listen(port, address, () => done(server.address().port))
  })

// Many addresses, because the crawler asks one address for one thing at a time.
const port = await listen(0, '127.0.0.1')
for (let n = 2; n <= 64; n++) await listen(port, `127.0.0.${n}`)
process.send({ port })
process.on('disconnect', () => process.exit())
