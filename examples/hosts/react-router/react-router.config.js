// React Router 8 has middleware without the flag.
export default { ssr: true, future: { v8_middleware: true } }
