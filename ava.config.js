export default {
  files: ['test/**/*.test.ts'],
  extensions: { ts: 'module' },
  nodeArguments: ['--import=tsx'],
  // tsx's loader does not reach AVA's worker threads.
  workerThreads: false,
  timeout: '3m',
}
