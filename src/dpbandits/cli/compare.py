"""bandit-compare: which algorithms of a table differ, and by how much."""

from __future__ import annotations

from argparse import Namespace

from ..comparison.table import compare, complete
from ..comparison.text import note, sentences, text_of_comparison
from ..comparison.wins import has_sets, over_sets, sections
from ..figures.labels import environment_titles, inside_sentence
from ..files import check_writable, write_atomically
from ..results.latex import latex_of
from ..results.manifest import table_of
from ..results.metrics import REGRET, measuring
from ..results.summary import NAMES, columns_shown
from ..results.table import open_tables
from ..results.tails import lines_of_tails
from ..validation import new_file
from .command import entry_point, given_tables, named_after, results_of, table_options
from .lines import MAX_LINES, print_rest, shortened

COUNTS = (
    "A row says on how many environments its mean is below the mean of a column, and in "
    "parentheses on how many of these the permutation test of all pairs of the table tells the "
    "means apart. Brackets have the 95 % interval of the share of environments (Clopper & Pearson)."
)
MOST_SAID = 3  # number of sentences that are printed; the file has all


@entry_point("compare")
def main(given: Namespace) -> int:
    keys = given.keys
    paths = given_tables(given) or [table_of(keys["experiment"], results_of(keys), given.folders)]
    stem = new_file("out", keys.get("out", named_after(paths, "-compare")))
    baseline, options = keys.get("baseline"), table_options(keys)
    metric = keys.get("metric", REGRET)
    table = open_tables(paths).measured(metric, given.folders).with_labels()
    compared, question = compare(table, baseline), measuring(table.question, table.metric)
    check_writable(stem.parent, keys.get("out"))
    explained = note(compared, question).splitlines()
    styles = {".md": "pipe", ".tex": "latex"}
    texts = {
        end: text_of_comparison(compared, question, style, baseline)
        for end, style in styles.items()
    }
    if options is None:
        group = question.group
        shown_names = compared.assign(**{group: compared[group].map(NAMES[group])})
        texts[".tex"] += "".join(f"\n% {x}" for x in note(shown_names, question).splitlines())
    else:
        shown = [*columns_shown(compared, question), "mean", "ratio", "tied"]
        texts[".tex"] = latex_of(complete(compared, table.summary()), shown, options)
    labels = dict(options.labels) if options else {}
    words = {name: inside_sentence(x) for name, x in environment_titles(table).items()} | labels
    said = sentences(compared, question, words) if baseline is None else []
    counted = sections(over_sets(table), question) if has_sets(table) else []
    said_of_sets = [*counted[:1], *[COUNTS] * bool(counted), *counted[1:]]
    texts[".md"] += "".join(f"\n\n{x}" for x in [*explained, *said, *said_of_sets])
    for suffix, text in texts.items():
        write_atomically(stem.with_name(stem.name + suffix), f"{text}\n".encode())
    whole = text_of_comparison(compared, question, "simple", baseline).splitlines()
    print(*whole[: 2 + MAX_LINES], sep="\n")  # the head, and whole games in their order
    print_rest(len(compared), stem.with_name(f"{stem.name}.md"))
    print(*explained, sep="\n")
    more = f"more: {stem}.md has all sentences"
    print(*shortened(said, more, MOST_SAID), *(x.partition("\n")[0] for x in counted), sep="\n")
    if "halted" in table.ends and (table.ends["halted"] == 0).any():
        print(
            "Runs that met their cap count as stopped there; without a cap they would last longer."
        )
    for line in lines_of_tails(compared, question):
        print(line)
    print(f"{stem}.tex", f"{stem}.md", sep="\n")
    return 0
