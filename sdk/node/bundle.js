// Makes what is published: the library and the command, each in one file with all that they need.
'use strict'
const fs = require('node:fs')
const path = require('node:path')
const esbuild = require('esbuild')

const contract = process.env.CONTRACT ?? path.join(__dirname, '../../sdk/wire/contract')
const dist = path.join(__dirname, 'dist')
fs.mkdirSync(dist, { recursive: true })
const options = {
  bundle: true, platform: 'node', target: 'node20', logLevel: 'warning', loader: { '.proto': 'text' }, legalComments: 'eof',
  alias: { 'engine.proto': path.join(contract, 'engine.proto') }
}
for (const name of ['engine', 'build']) {
  esbuild.buildSync({ ...options, entryPoints: [path.join(__dirname, 'src', name + '.js')], outfile: path.join(dist, name + '.js') })
}
