import type { BrandContent } from './shape.ts'

const site = 'https://www.tidewater-museum.example.org'

/** Tidewater Museum: a maritime museum with members, in English. */
export const tidewater: BrandContent = {
  brand: {
    language: 'en',
    brand: 'Tidewater Museum',
    accent: '#1d3f63',
    footer: {
      address: 'Tidewater Museum, Old Customs House, 3 Harbour Street, Wexcombe WX1 4AA',
      reason: 'This letter goes to members and friends of the museum, about twice a month.',
      unsubscribe: { label: 'Stop these letters', url: `${site}/letters/stop` },
    },
  },
  mailings: [
    {
      no: 3,
      created: '2026-01-19T12:03:37.981Z',
      modified: '2026-02-02T10:26:04.117Z',
      state: 'draft',
      name: 'Spring lectures (working draft)',
      subject: 'Six Thursdays about the sea',
      preheader: 'Our lecture season runs from March to May. Members sit in front.',
      headline: 'The Thursday lectures',
      intro:
        'Six evenings, six people who know one thing about the sea extraordinarily well. Doors open at half past six and the bar stays open after the questions.',
      sections: [
        {
          title: 'The programme',
          text: 'Two speakers are still to confirm; dates are firm.',
          items: [
            '5 March: How to read a tide table',
            '19 March: The women who ran the signal station',
            '2 April: Salt, rope and tar, a short history of smells',
            '16 April: to be announced',
          ],
        },
        {
          text: 'Tickets are £9, free for members. The hall holds 120 and usually fills up a week before.',
          link: { label: 'Reserve a seat', url: `${site}/lectures` },
        },
      ],
    },
    {
      no: 7,
      created: '2026-02-17T09:15:22.604Z',
      modified: '2026-02-18T15:33:51.090Z',
      state: 'approved',
      name: 'Charts and Lanterns: members’ evening',
      subject: 'After closing time, with a lantern',
      preheader: 'One evening, no electric light, forty charts that are usually in the dark.',
      headline: 'Charts and Lanterns',
      intro:
        'Dear {{firstName|member}}, once a year we switch off the lights in the chart room and hand out lanterns instead. The paper likes it, and so do we.',
      sections: [
        {
          title: 'The evening',
          text: 'Friday, 27 February, from seven until ten. Our curator walks with a new group every half hour.',
          items: [
            'A pilot book from 1698',
            'The chart that was wrong for ninety years',
            'Soup in the rope store',
          ],
          link: { label: 'Choose your half hour', url: `${site}/members/charts-and-lanterns` },
        },
        {
          title: 'Bring somebody',
          text: 'Each membership card admits one guest. Guests from outside {{city|Wexcombe}} can leave their luggage with us.',
        },
      ],
    },
    {
      no: 12,
      created: '2026-03-25T16:44:09.733Z',
      modified: '2026-03-26T11:20:30.000Z',
      state: 'approved',
      version: 3,
      name: 'Easter holiday workshops',
      subject: 'Knots, kites and a very small boat',
      preheader: 'Eight workshops for ages six to twelve. Aprons provided.',
      headline: 'What shall we build this Easter?',
      intro:
        'For two weeks the boat shed belongs to the children. Every workshop takes two hours and every child takes something home that floats, flies or holds.',
      sections: [
        {
          title: 'Pick one, or three',
          text: 'Groups are kept to ten. Parents are welcome to stay and equally welcome to go for a walk.',
          items: [
            'Knots that hold (ages 6 to 8)',
            'A kite from a sail (ages 8 to 12)',
            'Half a metre of boat (ages 10 to 12, two mornings)',
          ],
          link: { label: 'See free places', url: `${site}/families/easter` },
        },
        {
          text: 'Money should not decide. Ask at the desk for a free place; nobody will want to know why.',
        },
      ],
    },
    {
      no: 16,
      created: '2026-04-28T08:05:45.512Z',
      modified: '2026-05-11T13:37:02.468Z',
      state: 'approved',
      version: 1,
      name: 'Summer opening hours',
      subject: 'We open at nine from May',
      preheader: 'Longer days, a later café and one evening a week.',
      headline: 'Summer hours from 1 May',
      intro:
        'The harbour wakes up early in summer, and so do we. From 1 May until 30 September the museum opens an hour sooner.',
      sections: [
        {
          title: 'The hours',
          text: 'Last admission is always forty-five minutes before closing.',
          items: [
            'Tuesday to Sunday: 9.00 to 18.00',
            'Thursday: 9.00 to 21.00',
            'Monday: closed, except bank holidays',
          ],
        },
        {
          title: 'The café',
          text: 'Breakfast on the quay from half past eight. You do not need a ticket for the kitchen’s crab rolls.',
          link: { label: 'Plan your visit', url: `${site}/visit` },
        },
      ],
      newDraft: {
        name: 'Summer opening hours (corrected)',
        subject: 'Correction: Thursdays until ten',
        preheader: 'The same letter again, with the right closing time on Thursdays.',
      },
    },
    {
      no: 19,
      created: '2026-05-19T10:59:59.999Z',
      modified: '2026-05-20T09:09:09.090Z',
      state: 'approved',
      name: 'Sleep aboard',
      subject: 'Spend a night on the lightship',
      preheader: 'Twelve bunks, one watch each, porridge at six.',
      headline: 'Twelve bunks are free in June',
      intro:
        'The lightship has not moved since 1974, but at night, with the tide under her, she believes she might. Come and keep a watch.',
      sections: [
        {
          title: 'What awaits you',
          text: 'Two of our volunteers served on ships like this. They will wake you when it is your turn.',
          items: [
            'A tour of lamp and engine room',
            'Supper in the mess',
            'One watch of ninety minutes, with cocoa',
          ],
          link: { label: 'Ask for a bunk', url: `${site}/lightship/nights` },
        },
        { text: 'Not for children under ten, and not for anybody who needs a door on the bathroom.' },
      ],
    },
    {
      no: 23,
      created: '2026-06-17T17:21:13.048Z',
      modified: '2026-07-06T08:52:36.655Z',
      state: 'draft',
      name: 'Lighthouse exhibition – teaser',
      subject: 'Something bright this autumn',
      preheader: 'A first look at our exhibition about the keepers of the coast.',
      headline: 'Keepers: eleven lives, eleven lights',
      intro:
        'In October the great hall goes dark, and eleven lenses are lit one after the other. Each belonged to a family; each family left us letters.',
      sections: [
        {
          title: 'Have you got one?',
          text: 'We are still looking for photographs, logbooks and the odd uniform button. If your grandmother trimmed a wick, please write.',
          link: { label: 'Tell us your story', url: `${site}/keepers/stories` },
          linkStyle: 'text',
        },
        {
          title: 'Preview for members',
          text: 'Members see the exhibition on the evening before it opens. The invitation comes by post this time, on paper worth keeping.',
        },
      ],
    },
    {
      no: 28,
      created: '2026-07-22T13:13:28.370Z',
      modified: '2026-07-24T10:45:17.802Z',
      state: 'approved',
      name: 'Volunteers wanted',
      subject: 'Three hours a week & a view of the harbour',
      preheader: 'We need guides, menders and one person who likes labels.',
      headline: 'Could it be you, {{firstName|perhaps}}?',
      intro:
        'Sixty-four volunteers keep this house open. Five of them move away this summer, so there is room for five more.',
      sections: [
        {
          title: 'Where we need hands',
          text: 'No experience needed. You start beside somebody who has done it for years.',
          items: [
            'Guides for the lightship, weekends',
            'Menders in the sail loft, Wednesday mornings',
            'A patient eye for 3,000 labels in the archive',
          ],
          link: { label: 'Come for a trial day', url: `${site}/volunteer` },
        },
        {
          text: 'There is a good lunch, travel money from anywhere in the county, and a key to the tower after a year.',
        },
      ],
    },
  ],
}
