// `npm test` translates everything once and says so; a single file runs from its source.
const suite = process.env.TEST_BUILT
  ? { files: ['.tests/groups/*.test.js'], nodeArguments: ['--enable-source-maps'] }
  : { files: ['test/**/*.test.ts'], extensions: { ts: 'module' }, nodeArguments: ['--import=tsx'] }

export default {
  ...suite,
  // tsx's loader does not reach AVA's worker threads.
  workerThreads: false,
  // Without any test passing meanwhile: a test of a busy machine is slow, not stuck.
  timeout: '15m',
}
