#!/usr/bin/env node
// How does the source of an engine become one file?
'use strict'
const { execFileSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { parseArgs } = require('node:util')
const { inject } = require('postject')

const usage = 'slipstick-engine build [DIR] [--output FILE]: makes one executable of the engine in the directory'
const fuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

// main is what the executable runs. Its modules are the files of one directory: they require one another,
// slipstick-engine, and what Node has.
function main (dir) {
  const names = fs.readdirSync(dir).filter(name => /\.js(on)?$/.test(name) && !/\.test\.js$|^package(-lock)?\.json$/.test(name))
  for (const needed of ['engine.js', 'vectors.json']) {
    if (!names.includes(needed)) throw new Error(`${dir} has no ${needed}`)
  }
  const modules = names.map(name => [name, fs.readFileSync(path.join(dir, name), 'utf8')])
  modules.push(['slipstick-engine', fs.readFileSync(path.join(__dirname, 'engine.js'), 'utf8')])
  const defined = modules.map(([name, text]) =>
    `${JSON.stringify(name)}: (module, exports, require) => {${name.endsWith('.json') ? 'module.exports = ' : ''}\n${text}\n}`)
  return `'use strict'
const modules = {${defined.join(',\n')}}
const loaded = {}
function load (name) {
  const of = [name, name + '.js', name + '.json'].map(n => n.replace(/^\\.\\//, '')).find(n => Object.hasOwn(modules, n))
  if (of === undefined) return require(name)
  if (!loaded[of]) {
    loaded[of] = { exports: {} }
    modules[of](loaded[of], loaded[of].exports, load)
  }
  return loaded[of].exports
}
load('./engine.js').serve(load('./vectors.json'))
`
}

async function build (dir, output) {
  const work = fs.mkdtempSync(path.join(os.tmpdir(), 'slipstick-engine-'))
  try {
    const at = name => path.join(work, name)
    fs.writeFileSync(at('main.js'), main(dir))
    fs.writeFileSync(at('sea.json'), JSON.stringify({ main: at('main.js'), output: at('blob'), disableExperimentalSEAWarning: true }))
    execFileSync(process.execPath, ['--experimental-sea-config', at('sea.json')], { stdio: ['ignore', 'ignore', 'pipe'] })
    fs.copyFileSync(process.execPath, at('whole'))
    fs.chmodSync(at('whole'), 0o755)
    console.warn = () => {} // what the library says of sections that it leaves alone
    await inject(at('whole'), 'NODE_SEA_BLOB', fs.readFileSync(at('blob')), { sentinelFuse: fuse })
    fs.copyFileSync(at('whole'), output + '.new')
    fs.renameSync(output + '.new', output)
  } finally {
    fs.rmSync(work, { recursive: true })
  }
}

const { values, positionals } = parseArgs({ options: { output: { type: 'string', short: 'o' }, help: { type: 'boolean' } }, allowPositionals: true })
if (values.help || positionals[0] !== 'build' || positionals.length > 2) {
  console.error(usage)
  process.exit(values.help ? 0 : 2)
}
const dir = path.resolve(positionals[1] ?? '.')
build(dir, path.resolve(values.output ?? path.join(dir, path.basename(dir)))).catch(err => {
  console.error('slipstick-engine: ' + err.message)
  process.exit(1)
})
