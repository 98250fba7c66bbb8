"""Read the words of figures: their legends and their notes."""


def legend_of(figure):
    """Return the labels of all legends of a figure."""
    legends = figure.legends + [ax.get_legend() for ax in figure.axes if ax.get_legend()]
    return [text.get_text() for legend in legends for text in legend.get_texts()]


def note_of(figure):
    """Return the note below a figure as one line."""
    return " ".join(figure.get_supxlabel().split())
