/** Preloaded by the program: says at its end what it has loaded of HTTPS. */
process.on('exit', () => {
  const isLoaded = (/** @type {string} */ name) =>
    // @ts-expect-error: not declared, since it is for such questions alone
    process.moduleLoadList.includes(`NativeModule ${name}`)
  const loaded = { https: isLoaded('https'), certificates: isLoaded('internal/crypto/ec') }
  process.stderr.write(`loaded: ${JSON.stringify(loaded)}\n`)
})
