/** The parts of the pages: path below the root of the pages, and label. */
export const parts = [
  ['/', 'Spaces'],
  ['/break-it', 'Break it'],
  ['/exams', 'Exams'],
  ['/report', 'Report'],
  ['/docs', 'API reference'],
  ['/docs/README.md', 'Docs'],
] as const

/** Links to all parts. @param props.root address of the pages @param props.current path of the part that is shown */
export const PartLinks = ({ root, current }: { root: string; current: string | undefined }) => (
  <nav class="flow" aria-label="Mock">
    {parts.map(([path, words]) => (
      <a href={path === '/' ? root : root + path} aria-current={current === path ? 'true' : undefined}>
        {words}
      </a>
    ))}
  </nav>
)
