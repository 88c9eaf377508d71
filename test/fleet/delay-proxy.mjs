// A line to another machine: node delay-proxy.mjs PORT MILLISECONDS. What goes either way arrives so much later.
import { connect, createServer } from 'node:net'

const [port, ms] = process.argv.slice(2).map(Number)

const carry = (from, to) => {
  from.on('data', (piece) => setTimeout(() => to.write(piece), ms))
  from.on('end', () => setTimeout(() => to.end(), ms))
  from.on('error', () => to.destroy())
}
const server = createServer({ noDelay: true }, (near) => {
  const far = connect({ port, host: '127.0.0.1', noDelay: true })
  carry(near, far)
  carry(far, near)
})
server.listen(0, '127.0.0.1', () => console.log(server.address().port))
