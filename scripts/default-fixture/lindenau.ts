import type { BrandContent } from './shape.ts'

const site = 'https://www.backhaus-lindenau.example.net'

/** Backhaus Lindenau: a bakery with eleven shops, in German. */
export const lindenau: BrandContent = {
  brand: {
    language: 'de',
    brand: 'Backhaus Lindenau',
    accent: '#8a4b16',
    footer: {
      address: 'Backhaus Lindenau GmbH, Mühlgasse 7, 04177 Lindenau',
      reason: 'Sie erhalten diesen Brief, weil Sie ihn im Laden oder auf unserer Seite bestellt haben.',
      unsubscribe: { label: 'Newsletter abbestellen', url: `${site}/brief/abmelden` },
    },
  },
  mailings: [
    {
      no: 2,
      created: '2026-01-13T07:30:11.246Z',
      modified: '2026-01-14T05:58:33.719Z',
      state: 'approved',
      name: 'Neues Jahr, neues Roggenbrot',
      subject: 'Das Brot, das drei Tage braucht',
      preheader: 'Unser Roggenbrot kommt jetzt mit vierzig Stunden Ruhe in den Ofen.',
      headline: 'Wir haben uns Zeit gelassen',
      intro:
        'Guten Morgen {{firstName|zusammen}}, ein Jahr lang haben wir am Roggenbrot gefeilt: weniger Hefe, mehr Ruhe, ein Ofen, der nie ganz auskühlt. Ab heute liegt es in allen elf Läden.',
      sections: [
        {
          title: 'Was anders ist',
          text: 'Wer genau hinschmeckt, merkt es an der Kruste. Alle anderen merken es am dritten Tag.',
          items: [
            'Sauerteig aus Roggen vom Gut Plaussig',
            'Vierzig Stunden Teigruhe statt achtzehn',
            'Bleibt eine Woche saftig, im Leinenbeutel sogar länger',
          ],
          link: { label: 'Laden finden', url: `${site}/laeden` },
        },
        {
          title: 'Zum Probieren',
          text: 'Bis Sonntag bekommen Sie zu jedem Einkauf eine dicke Scheibe mit Butter. Einfach danach fragen.',
        },
      ],
    },
    {
      no: 6,
      created: '2026-02-09T14:02:58.433Z',
      modified: '2026-02-10T06:11:20.000Z',
      state: 'approved',
      name: 'Krapfen zum Fasching',
      subject: 'Zwölf Krapfen, einer davon mit Senf 🎭',
      preheader: 'Vorbestellen bis Freitag, abholen am Rosenmontag ab sechs.',
      headline: 'Wer erwischt den Senf?',
      intro:
        'Der Brauch ist alt und ein wenig gemein: In jedem Dutzend steckt einer, der anders gefüllt ist. Wir verraten nicht, welcher.',
      sections: [
        {
          title: 'Unsere Füllungen',
          text: 'Alle von Hand gefüllt, keiner älter als vier Stunden.',
          items: [
            'Hagebutte aus eigener Küche',
            'Eierlikör',
            'Pflaumenmus mit Zimt',
            'Senf (nur im Dutzend)',
          ],
          link: { label: 'Dutzend vorbestellen', url: `${site}/krapfen` },
        },
        { text: 'Für Vereine und Büros ab fünf Dutzend liefern wir in {{city|der Stadt}} ohne Aufpreis.' },
      ],
    },
    {
      no: 10,
      created: '2026-03-10T08:47:05.128Z',
      modified: '2026-03-13T09:28:46.951Z',
      state: 'approved',
      version: 2,
      name: 'Osterbrot und Osterlamm',
      subject: 'Ostern duftet nach Mandeln und Rosinen',
      preheader: 'Osterbrot, Lämmer in drei Größen und unsere Öffnungszeiten an den Feiertagen.',
      headline: 'Frohe Ostern aus der Mühlgasse',
      intro:
        'Guten Tag {{firstName|zusammen}}, seit 1931 backen wir das Osterbrot nach demselben Zettel. Er hängt gerahmt in der Backstube, und das Mehl hat ihn fast unlesbar gemacht.',
      sections: [
        {
          title: 'Bitte vorbestellen',
          text: 'Am Karsamstag wird die Schlange lang. Wer bis Gründonnerstag bestellt, geht daran vorbei.',
          items: [
            'Osterbrot, 500 g oder 1 kg',
            'Osterlamm aus Biskuit, klein, mittel oder „fast ein Schaf“',
            'Hefezopf mit und ohne Rosinen',
          ],
          link: { label: 'Jetzt vorbestellen', url: `${site}/ostern` },
        },
        {
          title: 'Feiertage',
          text: 'Karfreitag und Ostermontag bleiben alle Läden zu. Am Sonntag öffnet nur die Mühlgasse, von sieben bis elf.',
        },
      ],
      newDraft: {
        name: 'Osterbrot und Osterlamm (mit Uhrzeiten)',
        subject: 'Ostern: bis Gründonnerstag vorbestellen',
      },
    },
    {
      no: 14,
      created: '2026-04-14T11:25:39.070Z',
      modified: '2026-04-15T13:13:13.131Z',
      state: 'draft',
      name: 'Umfrage Brotabo',
      subject: 'Drei Fragen, ein Brot',
      preheader: 'Wie gefällt Ihnen das Abo? Antworten dauert zwei Minuten.',
      headline: 'Sagen Sie uns die Wahrheit',
      intro:
        'Seit einem Jahr bringen wir jeden Freitag Brot an die Tür. Bevor wir etwas ändern, möchten wir wissen, was bleiben soll.',
      sections: [
        {
          title: 'Unsere Fragen',
          text: 'Ein Satz je Antwort genügt.',
          items: [
            'Kommt das Brot zur richtigen Zeit?',
            'Welche Sorte fehlt Ihnen?',
            'Würden Sie das Abo verschenken?',
          ],
          link: { label: 'Zur Umfrage', url: `${site}/brotabo/umfrage` },
        },
        { text: 'Unter allen Antworten verlosen wir zehn Laibe und einen Vormittag in der Backstube.' },
      ],
    },
    {
      no: 18,
      created: '2026-05-12T06:06:47.884Z',
      modified: '2026-05-13T07:20:01.512Z',
      state: 'approved',
      name: 'Erdbeerkuchen ist da',
      subject: 'Die ersten Erdbeeren aus Rötha',
      preheader: 'Ab Donnerstag, solange das Feld reicht.',
      headline: 'Rot, süß, höchstens sechs Wochen',
      intro:
        'Am Dienstag hat uns Bauer Hentschel angerufen, am Mittwoch waren wir auf dem Feld. Ab Donnerstag gibt es Erdbeerkuchen, und zwar nur mit Beeren vom selben Morgen.',
      sections: [
        {
          title: 'So gibt es ihn',
          text: 'Ganze Bleche bitte einen Tag vorher bestellen.',
          items: ['Mürbeteig mit Vanillecreme', 'Biskuit mit Quark', 'Hefeblech, wie bei Oma Lindenau'],
          link: { label: 'Blech bestellen', url: `${site}/erdbeeren` },
        },
        {
          text: 'Regnet es zwei Tage, fällt der Kuchen aus. Ob er da ist, steht jeden Morgen ab sieben auf unserer Seite.',
        },
      ],
    },
    {
      no: 22,
      created: '2026-06-10T09:34:55.667Z',
      modified: '2026-06-11T10:10:40.205Z',
      state: 'approved',
      version: 2,
      name: 'Sommerpause',
      subject: 'Wir backen kürzer, aber wir backen',
      preheader: 'Welche Läden im Juli zu sind und wo es trotzdem Brötchen gibt.',
      headline: 'Sommerpause, Laden für Laden',
      intro:
        'Auch Bäcker möchten einmal ausschlafen. Damit Sie nicht vor verschlossener Tür stehen, machen die Läden nacheinander Pause.',
      sections: [
        {
          title: 'Geschlossen',
          text: 'Überall sonst gelten die üblichen Zeiten.',
          items: [
            '6. bis 11. Juli: Karl-Heine-Straße und Markt',
            '13. bis 18. Juli: Bahnhof und Nordplatz',
            '20. bis 25. Juli: Mühlgasse',
          ],
        },
        {
          title: 'Brotabo',
          text: 'Das Abo läuft weiter. Wer selbst verreist, setzt es mit einem Klick aus.',
          link: { label: 'Abo aussetzen', url: `${site}/brotabo/pause` },
        },
      ],
    },
    {
      no: 26,
      created: '2026-07-09T12:50:18.339Z',
      modified: '2026-08-12T08:08:59.014Z',
      state: 'approved',
      version: 1,
      name: 'Ausbildung 2026',
      subject: 'Wer möchte Bäcker werden?',
      preheader: 'Fünf Lehrstellen, ein Probetag und niemand muss um zwei aufstehen.',
      headline: 'Um vier, nicht um zwei',
      intro:
        'Wir suchen fünf junge Leute, die gern etwas in den Händen haben. Die Ausbildung beginnt im September; die Schicht beginnt um vier und endet, wenn andere Mittag essen.',
      sections: [
        {
          title: 'Was wir bieten',
          text: 'Und zwar schriftlich, im Lehrvertrag.',
          items: [
            'Jedes zweite Wochenende frei',
            'Fahrkarte und Arbeitskleidung bezahlt',
            'Übernahme nach bestandener Prüfung',
          ],
          link: { label: 'Probetag ausmachen', url: `${site}/ausbildung` },
        },
        {
          text: 'Kennen Sie jemanden? Leiten Sie diesen Brief weiter. Kommt es zur Lehre, gibt es ein Jahr lang Brot.',
        },
      ],
      newDraft: {
        name: 'Ausbildung 2026 – noch zwei Plätze',
        subject: 'Noch zwei Lehrstellen frei',
        intro:
          'Drei von fünf Plätzen sind vergeben, zwei sind noch frei. Die Ausbildung beginnt im September; die Schicht beginnt um vier und endet, wenn andere Mittag essen.',
      },
    },
    {
      no: 30,
      created: '2026-08-18T15:40:26.593Z',
      modified: '2026-08-31T07:03:12.808Z',
      state: 'draft',
      name: 'Erntedank',
      subject: 'Vom Feld in die Mühle: ein Samstag bei uns',
      preheader: 'Hoffest mit Mühlenführung, Zwiebelkuchen und neuem Mehl.',
      headline: 'Kommen Sie mit in die Mühle',
      intro:
        'Am letzten Samstag im September wird das neue Mehl gemahlen. Wer dabei sein will, {{firstName|ob groß oder klein}}, ist eingeladen.',
      sections: [
        {
          title: 'Ablauf',
          text: 'Noch zu klären: Blaskapelle ja oder nein?',
          items: [
            '10 Uhr: Mühlenführung',
            '12 Uhr: Zwiebelkuchen und Most',
            '14 Uhr: Brot backen mit Kindern',
          ],
        },
        {
          text: 'Der Eintritt ist frei. Für die Führung bitte anmelden, es passen nur fünfzehn Leute auf die Treppe.',
          link: { label: 'Zur Führung anmelden', url: `${site}/erntedank` },
        },
      ],
    },
  ],
}
