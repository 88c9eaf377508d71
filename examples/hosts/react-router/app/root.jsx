import { Outlet, Scripts } from 'react-router'
import { host } from './membership.server.js'

export const middleware = [host.middleware]

export default function Root() {
  return (
    <html lang="en">
      <body>
        <Outlet />
        <Scripts />
      </body>
    </html>
  )
}
