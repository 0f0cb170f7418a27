import type { AccessibleLists, Customer, List, User } from '../../src/store/rows.ts'
import { labCustomer, labList } from './test-synchronizations.ts'

/** Who may use the space. The second one meets 403 on every change. */
export const users: User[] = [
  { name: 'demo', password: 'demo', rights: ['read', 'write'] },
  { name: 'demo-viewer', password: 'demo', rights: ['read'] },
]

/** One has a space in its name, so that a client's paths meet something to encode. */
export const customers: Customer[] = [
  { name: 'harbour-group' },
  { name: 'lindenau' },
  { name: 'Maison Orane' },
  { name: labCustomer },
]

const group = (id: number, name: string, ...emails: string[]) => ({ id, name, emails })
const profile = (id: number, description: string, attributes: Record<string, string>) => ({
  id,
  description,
  attributes,
})

/** Sizes run from nobody to many; 3002 has neither test profiles nor test-mail groups. */
export const lists: List[] = [
  {
    id: 1001,
    customer: 'harbour-group',
    name: 'Fernhill Cycles newsletter',
    recipients: 12_480,
    testProfiles: [
      profile(7001, 'Regular customer', { firstName: 'Nadia', lastName: 'Okafor', city: 'Eastholme' }),
      profile(7002, 'Only the first name known', { firstName: 'Tom' }),
      profile(7003, 'Nothing known', {}),
    ],
    testMailGroups: [
      group(8001, 'Shop team', 'priya@fernhill-cycles.example.com', 'workshop@fernhill-cycles.example.com'),
      group(8002, 'Agency', 'check@studio-north.example.net'),
    ],
  },
  {
    id: 1002,
    customer: 'harbour-group',
    name: 'Tidewater members',
    recipients: 8_764,
    testProfiles: [
      profile(7004, 'Member', { firstName: 'Edith', lastName: 'Marlow', city: 'Wexcombe' }),
      profile(7005, 'Member from abroad', { firstName: 'Søren', lastName: 'Kjær', city: 'Århus' }),
    ],
    testMailGroups: [
      group(8003, 'Curators', 'charts@tidewater-museum.example.org', 'ships@tidewater-museum.example.org'),
    ],
  },
  {
    id: 1003,
    customer: 'harbour-group',
    name: 'Tidewater staff preview',
    recipients: 3,
    testProfiles: [profile(7006, 'Director', { firstName: 'Ruth', lastName: 'Ashby', city: 'Wexcombe' })],
    testMailGroups: [group(8004, 'Front desk', 'desk@tidewater-museum.example.org')],
  },
  {
    id: 2001,
    customer: 'lindenau',
    name: 'Stammkunden',
    recipients: 48_127,
    testProfiles: [
      profile(7007, 'Stammkundin', { firstName: 'Käthe', lastName: 'Großmann', city: 'Leipzig' }),
      profile(7008, 'Name mit Sonderzeichen', {
        firstName: 'Jörg & Anna',
        lastName: 'D’Angelo-Weiß',
        city: 'Görlitz',
      }),
    ],
    testMailGroups: [
      group(8005, 'Backstube', 'meister@backhaus-lindenau.example.net'),
      group(
        8006,
        'Büro',
        'buero@backhaus-lindenau.example.net',
        'werbung@backhaus-lindenau.example.net',
        'chef@backhaus-lindenau.example.net',
      ),
    ],
  },
  {
    id: 2002,
    customer: 'lindenau',
    name: 'Filialleitungen (intern)',
    recipients: 11,
    testProfiles: [
      profile(7009, 'Filiale Markt', { firstName: 'Silke', lastName: 'Brandt', city: 'Leipzig' }),
    ],
    testMailGroups: [group(8007, 'Personal', 'personal@backhaus-lindenau.example.net')],
  },
  {
    id: 2003,
    customer: 'lindenau',
    name: 'Interessenten (noch leer)',
    recipients: 0,
    testProfiles: [profile(7010, 'Interessent', { firstName: 'Uwe', city: 'Markkleeberg' })],
    testMailGroups: [group(8008, 'Büro', 'buero@backhaus-lindenau.example.net')],
  },
  {
    id: 3001,
    customer: 'Maison Orane',
    name: 'Abonnés de la boutique',
    recipients: 21_350,
    testProfiles: [
      profile(7011, 'Cliente fidèle', { firstName: 'Maëlle', lastName: 'Garnier', city: 'Lyon' }),
      profile(7012, 'Ville inconnue', { firstName: 'Hugo', lastName: 'Lefèvre' }),
    ],
    testMailGroups: [
      group(8009, 'Boutique', 'solene@maison-orane.example.com', 'bastien@maison-orane.example.com'),
    ],
  },
  {
    id: 3002,
    customer: 'Maison Orane',
    name: 'Clients professionnels',
    recipients: 640,
    testProfiles: [],
    testMailGroups: [],
  },
  labList,
]

/** Only lindenau is restricted: its internal list 2002 is not to be written to from this space. */
export const accessibleLists: AccessibleLists[] = [
  {
    customer: 'lindenau',
    creationDate: '2026-01-20T08:15:30.264Z',
    modificationDate: '2026-05-13T12:41:07.918Z',
    permitAll: false,
    permittedLists: [2001, 2003],
  },
]
