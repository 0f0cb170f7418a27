import { latestVersion } from '../service/mailings.ts'
import { problems } from '../service/problem.ts'
import { Facts, Id } from './components/basics.tsx'
import { Time } from './components/time.tsx'
import { page } from './page.ts'

/** `svc:mailing-editor` */
export default page('/spaces/{space}/mailings/{id}', {
  async show(call) {
    const rig = await call.rig()
    const { space } = rig
    const { id } = call.params
    const mailing = space.data.tables.mailings.get(id)
    if (!mailing)
      throw problems.notFound(`mailing ${id} in space ${space.name}; it may have been reset since`)
    const now = rig.clock.now()
    const versions = [
      ['draft', mailing.draft],
      ['approved', mailing.approved],
    ] as const
    const { name } = latestVersion(mailing)
    return {
      title: name,
      space: rig,
      content: (
        <>
          <h1>{name}</h1>
          <Facts
            rows={[
              ['ID', <Id id={mailing.id} />],
              ['Created', <Time at={mailing.creationDate} now={now} />],
              ['Modified', <Time at={mailing.modificationDate} now={now} />],
            ]}
          />
          <h2>Versions</h2>
          <ul>
            {versions.map(
              ([kind, version]) =>
                version && (
                  <li>
                    <a href={call.inSpace(space.name, `/mailings/${encodeURIComponent(id)}/${kind}`)}>
                      {kind}, version {version.number}
                    </a>
                    : {version.name}
                  </li>
                ),
            )}
          </ul>
        </>
      ),
    }
  },
})
