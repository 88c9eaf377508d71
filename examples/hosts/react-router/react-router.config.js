// React Router 7 has middleware with `future: { v8_middleware: true }` alone.
export default { ssr: true }
