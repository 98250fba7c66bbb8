"""Sphinx: the site is built from the whole repository, so that links between its files hold.

``make docs`` runs it. The source folder is the top of the repository; ``builder`` decides which of
its Markdown files are documents, and writes the pages that are generated.
"""

import re
import sys
from pathlib import Path

DOCS = Path(__file__).parent
sys.path.insert(0, str(DOCS))

import builder  # noqa: E402

import dpbandits  # noqa: E402

project = "dpbandits"
author = "The dpbandits developers"
copyright = author
version = release = dpbandits.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
]
root_doc = "docs/index"
include_patterns = builder.documents.patterns()
exclude_patterns = ["docs/_build", ".venv", "results/runs"]
templates_path = []
rst_prolog = ".. role:: py(code)\n   :language: python\n"

html_theme = "furo"
html_title = f"dpbandits {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_extra_path = ["redirect"]  # the first page is docs/index.html
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True, "top_of_page_buttons": []}
highlight_language = "text"  # of blocks that name none: what commands print
smartquotes = False  # quotes and two hyphens are copied into shells
pygments_style = "default"
pygments_dark_style = "github-dark"

myst_enable_extensions = ["attrs_inline", "colon_fence"]
myst_heading_anchors = 4
nb_execution_mode = "cache"
nb_execution_excludepatterns = ["notebooks/*.ipynb", "*.ipynb"]  # make docs stores their outputs
nb_execution_cache_path = str(DOCS / "_build" / "cache")
nb_execution_raise_on_error = True
nb_execution_timeout = 600  # seconds, of a cell
nb_output_stderr = "remove"  # progress bars
nb_merge_streams = True
nb_execution_show_tb = True

autodoc_typehints = "none"  # the docstrings say what values are allowed
autodoc_member_order = "bysource"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
napoleon_attr_annotations = False
nitpicky = True
nitpick_ignore_regex = [("py:.*", r"(?!dpbandits).*")]  # other packages are not linked


def complete(app, name, source):
    """What the site adds to a document."""
    source[0] = builder.documents.complete(name, source[0])


def bars(app, kind, name, value, options, lines):
    """Bars in docstrings are absolute values, not substitutions."""
    text = "\n".join(lines)
    lines[:] = re.sub(r"(`+)[^`]*\1|>>>.*|\|", _escaped, text).split("\n")


def _escaped(found):
    return r"\|" if found[0] == "|" else found[0]


def details(app, page, template, context, doctree):
    """Captions of the side bar are headings, for which screen readers need a level.

    In the page, a long name in a heading may be broken after a dot, an underscore or a slash, and
    the two hyphens that Sphinx puts after the name of a parameter are a dash.
    """
    tree = context.get("furo_navigation_tree", "")
    context["furo_navigation_tree"] = tree.replace(
        'role="heading"', 'role="heading" aria-level="2"'
    )
    body = re.sub(r"(</(?:a|em|strong)>) -- ", r"\1 &ndash; ", context.get("body", ""))
    context["body"] = re.sub(r"(?<=<h[1-4]>).*?(?=</h[1-4]>)", _breakable, body, flags=re.S)


def _breakable(heading):
    """A heading with places to break its names; what is inside of tags stays."""
    joints = r"<[^>]*>|(?<=\w)[._/](?=\w)"
    return re.sub(joints, lambda x: x[0] if x[0][0] == "<" else f"{x[0]}<wbr>", heading[0])


def setup(app):
    """Write the generated pages, and complete documents that are read as they are."""
    builder.write()
    app.connect("source-read", complete)
    app.connect("autodoc-process-docstring", bars)
    app.connect("html-page-context", details, priority=900)  # after the theme's
