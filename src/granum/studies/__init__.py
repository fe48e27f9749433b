"""Published experiments, each a scenario with what it must show.

In: the name of a study, a variant, quick or whole. Out: the tables of a scenario, and after the run
pictures, plots and what was found, beside what was published. A new study is one module here and
its line in ``STUDIES``; what packings have in common is in ``packing``.
"""

from granum.studies import (
    packing_frequency,
    packing_narrow,
    packing_one_large,
    packing_unimodal,
    packing_wall_effect,
    packing_wide,
)
from granum.studies.biaxial import BiaxialStudy
from granum.studies.cluster_stiffness import ClusterStiffnessStudy
from granum.studies.clusters import ClustersStudy
from granum.studies.complexity import ComplexityStudy
from granum.studies.cow import CowStudy
from granum.studies.crystallisation import CrystallisationStudy
from granum.studies.elastic_gas import ElasticGasStudy
from granum.studies.force_arches import ForceArchesStudy
from granum.studies.hourglass import HourglassStudy
from granum.studies.origin import Origin, origin_of
from granum.studies.segregation import SegregationStudy
from granum.studies.sensor import SensorStudy
from granum.studies.study import Published, Study

_ALL: tuple[Study, ...] = (
    HourglassStudy(), packing_frequency.STUDY, packing_one_large.STUDY, packing_unimodal.STUDY,
    packing_narrow.STUDY, packing_wide.STUDY, packing_wall_effect.STUDY, ClustersStudy(),
    ClusterStiffnessStudy(), ForceArchesStudy(), SensorStudy(), ComplexityStudy(),
    CrystallisationStudy(), SegregationStudy(), ElasticGasStudy(), BiaxialStudy(), CowStudy(),
)
STUDIES = {study.name: study for study in _ALL}

__all__ = ["STUDIES", "Origin", "Published", "Study", "origin_of"]
