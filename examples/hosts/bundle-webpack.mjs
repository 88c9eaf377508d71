import webpack from 'webpack'

const compiler = webpack({
  mode: 'production',
  target: 'node20',
  entry: './node.mjs',
  output: { path: `${process.cwd()}/out`, filename: 'webpack.cjs' },
})
compiler.run((error, stats) => {
  if (error || stats?.hasErrors()) {
    console.error(error ?? stats?.toString('errors-only'))
    process.exitCode = 1
  }
})
