import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** Waits until something listens on that port of loopback, ten seconds at most. */
export async function listening(port: number): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    const socket = connect(port, '127.0.0.1')
    const isThere = await new Promise<boolean>((done) => {
      socket.once('connect', () => done(true)).once('error', () => done(false))
    })
    socket.destroy()
    if (isThere) return
    await pause(50)
  }
  throw new Error(`nothing listens on ${port}`)
}
