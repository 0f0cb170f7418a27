import { defineFault } from './fault.ts'
import { noSettings } from './part.ts'

const page = `<!doctype html>
<html lang="en">
<head><title>Maintenance</title></head>
<body><h1>We will be back soon</h1><p>The service is being maintained.</p></body>
</html>
`

export const html200 = defineFault({
  name: 'html-200',
  group: 'wrong',
  description: 'A maintenance page: 200, text/html.',
  settings: noSettings,
  falsify: () => ({ status: 200, headers: { 'Content-Type': 'text/html; charset=utf-8' }, body: page }),
})
